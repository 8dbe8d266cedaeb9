//! Writes the objects that the crate links below `objects/`: what `make rt-objects` runs.

#[path = "../tests/objects/expected.rs"]
mod expected;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let root = expected::folder();
    if root.exists() {
        std::fs::remove_dir_all(&root)?;
    }
    for (name, bytes) in expected::files()? {
        let path = root.join(name);
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder)?;
        }
        std::fs::write(path, bytes)?;
    }
    Ok(())
}
