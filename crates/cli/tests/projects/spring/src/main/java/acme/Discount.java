package acme;

public record Discount(int percent) {}
