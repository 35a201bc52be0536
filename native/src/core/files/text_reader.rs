//! Files as they are, or out of gzip or zstd, told apart by their first bytes and never by their names.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Cursor, ErrorKind, Read};
use std::sync::Arc;

use flate2::bufread::MultiGzDecoder;
use ruzstd::decoding::errors::{FrameDecoderError, ReadFrameHeaderError};
use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};

use crate::core::error::{Class, Error, Result};
use crate::core::progress::Progress;

const BUFFER: usize = 1 << 20;
const GZIP: [u8; 2] = [0x1f, 0x8b];
const ZSTD: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];
/// The first byte of a skippable zstd frame is 0x50 to 0x5f, the others are these.
const ZSTD_SKIPPABLE: [u8; 3] = [0x2a, 0x4d, 0x18];

/// A file's content, decompressed while it is read.
pub struct TextReader {
    path: String,
    reader: Box<dyn Read + Send>,
    /// Whether the file is gzip or zstd.
    pub compressed: bool,
    /// Size of the file as it lies on the disk.
    pub file_size: u64,
}

/// Opens a file; `progress` counts the bytes read of the file itself.
pub fn open(path: &str, progress: Arc<Progress>) -> Result<TextReader> {
    let file = File::open(path).map_err(|error| cannot_open(path, &error))?;
    let file_size = file.metadata().map_err(|error| cannot_open(path, &error))?.len();
    progress.start(file_size);
    decompressed(path, BufReader::with_capacity(BUFFER, WatchedFile { file, progress }), file_size)
}

/// Text that is in memory already; `path` is what messages call it.
pub fn of_bytes(path: &str, bytes: Vec<u8>) -> Result<TextReader> {
    let size = bytes.len() as u64;
    decompressed(path, Cursor::new(bytes), size)
}

fn decompressed(path: &str, mut source: impl BufRead + Send + 'static, file_size: u64) -> Result<TextReader> {
    let start = source.fill_buf().map_err(|error| cannot_open(path, &error))?;
    let (compressed, reader): (bool, Box<dyn Read + Send>) = if start.starts_with(&GZIP) {
        (true, Box::new(MultiGzDecoder::new(source)))
    } else if is_zstd(start) {
        (true, Box::new(Frames { source, decoder: FrameDecoder::new() }))
    } else {
        (false, Box::new(source))
    };
    Ok(TextReader { path: path.to_owned(), reader, compressed, file_size })
}

/// The whole content of a gzip or zstd file, or nothing for any other file.
pub fn decompress(path: &str) -> Result<Option<Vec<u8>>> {
    let mut content = open(path, Arc::default())?;
    if !content.compressed {
        return Ok(None);
    }
    let mut bytes = Vec::new();
    content.read_up_to(u64::MAX, &mut bytes)?;
    Ok(Some(bytes))
}

impl TextReader {
    /// Appends up to `limit` bytes and says how many: fewer than `limit` only at the end.
    pub fn read_up_to(&mut self, limit: u64, bytes: &mut Vec<u8>) -> Result<usize> {
        (&mut self.reader).take(limit).read_to_end(bytes).map_err(|error| {
            if self.compressed {
                Error::format(format!("{}: the compressed file is damaged or cut off: {error}", self.path))
            } else {
                Error::data(format!("{}: cannot be read: {error}", self.path))
            }
        })
    }
}

fn cannot_open(path: &str, error: &io::Error) -> Error {
    match error.kind() {
        ErrorKind::NotFound => Error::new(Class::FileMissing, format!("there is no file {path:?}")),
        _ => Error::new(Class::Usage, format!("{path}: cannot be read: {error}")),
    }
}

fn is_zstd(start: &[u8]) -> bool {
    start.starts_with(&ZSTD)
        || matches!(start, [first, rest @ ..] if first >> 4 == 5 && rest.starts_with(&ZSTD_SKIPPABLE))
}

/// A file that tells its progress.
struct WatchedFile {
    file: File,
    progress: Arc<Progress>,
}

impl Read for WatchedFile {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let bytes = self.file.read(buffer)?;
        self.progress.advance(bytes as u64);
        Ok(bytes)
    }
}

/// All zstd frames of a source, one after another.
struct Frames<R> {
    source: R,
    decoder: FrameDecoder,
}

impl<R: BufRead> Frames<R> {
    /// Starts the next frame that holds data; false at the end of the source.
    fn next_frame(&mut self) -> io::Result<bool> {
        while !self.source.fill_buf()?.is_empty() {
            match self.decoder.init(&mut self.source) {
                Ok(()) => return Ok(true),
                Err(FrameDecoderError::ReadFrameHeaderError(ReadFrameHeaderError::SkipFrame {
                    length,
                    ..
                })) => self.skip(u64::from(length))?,
                Err(error) => return Err(io::Error::other(error)),
            }
        }
        Ok(false)
    }

    /// Compares the sum that ends a frame, where it has one, with that of what came out.
    fn check_sum(&self) -> io::Result<()> {
        let (told, found) = (self.decoder.get_checksum_from_data(), self.decoder.get_calculated_checksum());
        match told {
            Some(told) if found.is_some_and(|found| found != told) => Err(io::Error::other("wrong checksum")),
            _ => Ok(()),
        }
    }

    fn skip(&mut self, length: u64) -> io::Result<()> {
        let skipped = io::copy(&mut (&mut self.source).take(length), &mut io::sink())?;
        if skipped == length { Ok(()) } else { Err(ErrorKind::UnexpectedEof.into()) }
    }
}

impl<R: BufRead> Read for Frames<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.decoder.can_collect() == 0 {
            if self.decoder.is_finished() {
                self.check_sum()?;
                if !self.next_frame()? {
                    return Ok(0);
                }
            }
            self.decoder
                .decode_blocks(&mut self.source, BlockDecodingStrategy::UptoBytes(BUFFER))
                .map_err(io::Error::other)?;
        }
        self.decoder.read(buffer)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::path::PathBuf;

    use flate2::Compression;
    use flate2::write::GzEncoder;
    use ruzstd::encoding::{CompressionLevel, compress_to_vec};

    use super::*;

    fn gzip(content: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(content).unwrap();
        encoder.finish().unwrap()
    }

    fn zstd(content: &[u8]) -> Vec<u8> {
        compress_to_vec(content, CompressionLevel::Fastest)
    }

    fn file(name: &str, content: &[u8]) -> PathBuf {
        let path = std::env::temp_dir().join(format!("rankmark-{}-{name}", std::process::id()));
        std::fs::write(&path, content).unwrap();
        path
    }

    fn read(name: &str, content: &[u8]) -> Result<Option<Vec<u8>>> {
        let path = file(name, content);
        let result = decompress(path.to_str().unwrap());
        std::fs::remove_file(path).unwrap();
        result
    }

    #[test]
    fn a_zstd_frame_with_a_wrong_checksum_is_refused() {
        let mut content = zstd(b"some text");
        *content.last_mut().unwrap() ^= 1;
        assert!(read("checksum.zst", &content).unwrap_err().message.contains("wrong checksum"));
    }

    fn long_text() -> Vec<u8> {
        (0..400_000)
            .flat_map(|i: u32| format!("line {}\n", i.wrapping_mul(2_654_435_761)).into_bytes())
            .collect()
    }

    #[test]
    fn plain_and_empty_files_are_not_decompressed() {
        assert_eq!(read("plain", b"q 0 d 1\n"), Ok(None));
        assert_eq!(read("empty", b""), Ok(None));
    }

    #[test]
    fn one_member_or_several() {
        let text = long_text();
        assert_eq!(read("gz1", &gzip(&text)).unwrap().unwrap(), text);
        assert_eq!(read("gz2", &[gzip(b"ab"), gzip(b""), gzip(b"c")].concat()), Ok(Some(b"abc".to_vec())));
        assert_eq!(read("zst1", &zstd(&text)).unwrap().unwrap(), text);
        let skippable =
            [b"\x51\x2a\x4d\x18\x03\0\0\0xyz".to_vec(), zstd(b"ab"), zstd(b""), zstd(b"c")].concat();
        assert_eq!(read("zst2", &skippable), Ok(Some(b"abc".to_vec())));
    }

    #[test]
    fn a_damaged_file_is_named() {
        let text = long_text();
        for (name, whole) in [("cut-gz", gzip(&text)), ("cut-zst", zstd(&text))] {
            for length in [whole.len() / 2, whole.len() - 1, 12] {
                let error = read(name, &whole[..length]).unwrap_err();
                assert_eq!(error.class, Class::Format);
                assert!(error.message.contains(name) && error.message.contains("damaged"), "{error:?}");
            }
        }
        let skip_too_far = read("skip", b"\x50\x2a\x4d\x18\x03\0\0\0x").unwrap_err();
        assert_eq!(skip_too_far.class, Class::Format);
    }

    #[test]
    fn a_missing_file_is_a_usage_error() {
        assert_eq!(decompress("/nowhere/at-all").unwrap_err().class, Class::FileMissing);
        assert_eq!(decompress("/").unwrap_err().class, Class::Usage);
    }

    #[test]
    fn progress_counts_the_files_own_bytes() {
        let bytes = gzip(&long_text());
        let path = file("progress", &bytes);
        let progress = Arc::new(Progress::default());
        open(path.to_str().unwrap(), Arc::clone(&progress))
            .unwrap()
            .read_up_to(u64::MAX, &mut Vec::new())
            .unwrap();
        std::fs::remove_file(path).unwrap();
        assert_eq!((progress.done(), progress.total()), (bytes.len() as u64, bytes.len() as u64));
    }
}
