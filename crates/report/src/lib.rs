//! One report model, shown as text or JSON.
