package acme;

public record Price(int cents) {}
