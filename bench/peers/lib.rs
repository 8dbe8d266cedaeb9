// Empty: cargo wants a target.
