//! The Python module.

use extensions_core::Encoding;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

extensions_core::heap!();

/// One document's tokens.
#[pyclass]
struct Encoded(Encoding);

#[pymethods]
impl Encoded {
    fn __len__(&self) -> usize {
        self.0.len()
    }
    fn ids(&self) -> Vec<u32> {
        self.0.get_ids().to_vec()
    }
}

#[pyclass]
struct Tokenizer(extensions_core::Tokenizer);

#[pymethods]
impl Tokenizer {
    #[new]
    fn new(vocabulary: &str, merges: &str) -> PyResult<Self> {
        let made = extensions_core::tokenizer(vocabulary, merges);
        made.map(Self).map_err(PyValueError::new_err)
    }

    /// Every document's tokens; other Python threads run meanwhile.
    fn encode_batch(&self, py: Python<'_>, documents: Vec<String>) -> PyResult<Vec<Encoded>> {
        let encoded = py.detach(|| extensions_core::encode_batch(&self.0, documents));
        let encoded = encoded.map_err(PyValueError::new_err)?;
        Ok(encoded.into_iter().map(Encoded).collect())
    }
}

/// Whose heap the module's Rust code has.
#[pyfunction]
fn heap() -> String {
    heap_name()
}

#[pymodule]
fn extensions_python(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Encoded>()?;
    module.add_class::<Tokenizer>()?;
    module.add_function(wrap_pyfunction!(heap, module)?)
}
