//! Names that stand twice in one object of JSON, of any text.
#![no_main]

use std::sync::atomic::AtomicBool;

use libfuzzer_sys::fuzz_target;
use rankmark_fuzz::Content;
use rankmark_fuzz::core::files::json_names::repeated_name;

fuzz_target!(|data: &[u8]| {
    let file = Content::new(data);
    if let Ok(Some((line, _))) = repeated_name(file.path(), &AtomicBool::new(false)) {
        assert!(line >= 1 && (is_compressed(data) || line <= 1 + data.iter().filter(|&&byte| byte == b'\n').count()));
    }
});

fn is_compressed(data: &[u8]) -> bool {
    data.starts_with(b"\x1f\x8b") || data.get(1..4) == Some(b"\x2a\x4d\x18") || data.starts_with(b"\x28\xb5\x2f\xfd")
}
