//! Files as they are, or out of gzip or zstd, told apart by their first bytes and never by their names.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Cursor, ErrorKind, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use flate2::bufread::GzDecoder;
use ruzstd::decoding::errors::{FrameDecoderError, ReadFrameHeaderError};
use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};

use crate::core::error::{Class, Error, Result};
use crate::core::progress::Progress;

const BUFFER: usize = 1 << 20;
/// Bytes of a file read at once where it matters how many there were.
const SAMPLE_BUFFER: usize = 1 << 10;
/// Bytes of a file by which it is told how many there are when it is decompressed.
const SAMPLE: u64 = 1 << 16;
/// Decompressed bytes that are kept together, and at the most are looked at for that.
const EXPANDED: usize = 1 << 24;
const GZIP: [u8; 2] = [0x1f, 0x8b];
const ZSTD: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];
/// The first byte of a skippable zstd frame is 0x50 to 0x5f, the others are these.
const ZSTD_SKIPPABLE: [u8; 3] = [0x2a, 0x4d, 0x18];

/// A file's content, decompressed while it is read.
pub struct TextReader {
    /// What messages call the file.
    pub path: String,
    reader: Box<dyn Read + Send>,
    /// Whether the file is gzip or zstd.
    pub compressed: bool,
    /// Size of the file as it lies on the disk.
    pub file_size: u64,
    /// What is longer than this when it is decompressed is refused.
    pub limit: u64,
    /// Bytes read so far.
    done: u64,
}

/// Opens a file; `progress` counts the bytes read of the file itself.
pub fn open(path: &str, progress: Arc<Progress>) -> Result<TextReader> {
    open_buffered(path, progress, BUFFER)
}

/// The same, reading so many bytes of the file at once.
fn open_buffered(path: &str, progress: Arc<Progress>, buffer: usize) -> Result<TextReader> {
    let file = File::open(path).map_err(|error| cannot_open(path, &error))?;
    let file_size = file.metadata().map_err(|error| cannot_open(path, &error))?.len();
    progress.start(file_size);
    decompressed(path, BufReader::with_capacity(buffer, WatchedFile { file, progress }), file_size)
}

/// Text that is in memory already; `path` is what messages call it.
pub fn of_bytes(path: &str, bytes: Vec<u8>) -> Result<TextReader> {
    let size = bytes.len() as u64;
    decompressed(path, Cursor::new(bytes), size)
}

fn decompressed(path: &str, mut source: impl BufRead + Send + 'static, file_size: u64) -> Result<TextReader> {
    let start = source.fill_buf().map_err(|error| cannot_open(path, &error))?;
    let (compressed, reader): (bool, Box<dyn Read + Send>) = if start.starts_with(&GZIP) {
        (true, Box::new(Members { member: Some(GzDecoder::new(source)) }))
    } else if is_zstd(start) {
        (true, Box::new(Frames { source, decoder: FrameDecoder::new() }))
    } else {
        (false, Box::new(source))
    };
    Ok(TextReader { path: path.to_owned(), reader, compressed, file_size, limit: u64::MAX, done: 0 })
}

/// The whole content of a gzip or zstd file in pieces, or nothing for any other file.
///
/// # Errors
/// The content is longer than `limit`.
pub fn decompress(path: &str, limit: u64, cancelled: &AtomicBool) -> Result<Option<Vec<Vec<u8>>>> {
    let mut content = open(path, Arc::default())?;
    if !content.compressed {
        return Ok(None);
    }
    content.limit = limit;
    let mut pieces = Vec::new();
    loop {
        // One vector that grows would take three times as much while it is moved.
        let mut piece = Vec::new();
        let ended = content.read_up_to(EXPANDED as u64, &mut piece, cancelled)? < EXPANDED;
        pieces.push(piece);
        if ended {
            return Ok(Some(pieces));
        }
    }
}

/// About how many bytes the content of a file comes to, by its first ones where it is compressed; exact for others.
pub fn expanded_size(path: &str) -> Result<u64> {
    let progress = Arc::new(Progress::default());
    let mut content = open_buffered(path, Arc::clone(&progress), SAMPLE_BUFFER)?;
    if !content.compressed {
        return Ok(content.file_size);
    }
    let (mut length, mut piece) = (0, Vec::new());
    // From the first piece on, because a decoder of zstd holds back what later blocks may repeat.
    let mut first = None;
    loop {
        piece.clear();
        let read = content.read_up_to(BUFFER as u64, &mut piece, &AtomicBool::new(false))?;
        length += read;
        if read < BUFFER {
            return Ok(length as u64);
        }
        let (from, before) = *first.get_or_insert((length, progress.done()));
        let taken = progress.done() - before;
        if length > from && (length >= EXPANDED || taken >= SAMPLE) {
            return Ok(((length - from) as f64 * content.file_size as f64
                / taken.max(SAMPLE_BUFFER as u64) as f64) as u64);
        }
    }
}

impl TextReader {
    /// Appends up to `length` bytes and says how many: fewer than `length` only at the end, or if it is cancelled.
    pub fn read_up_to(&mut self, length: u64, bytes: &mut Vec<u8>, cancelled: &AtomicBool) -> Result<usize> {
        let mut read = 0;
        while read < length && !cancelled.load(Ordering::Relaxed) {
            let step = (length - read).min(BUFFER as u64);
            bytes.try_reserve(step as usize).map_err(|_| Error::too_large())?;
            let more =
                (&mut self.reader).take(step).read_to_end(bytes).map_err(|error| self.fault(&error))?;
            read += more as u64;
            self.done += more as u64;
            if self.compressed && self.done > self.limit {
                return Err(self.too_long());
            }
            if (more as u64) < step {
                break;
            }
        }
        Ok(read as usize)
    }

    fn fault(&self, error: &io::Error) -> Error {
        if self.compressed {
            Error::format(format!("{}: the compressed file is damaged or cut off: {error}", self.path))
        } else {
            Error::data(format!("{}: cannot be read: {error}", self.path))
        }
    }

    fn too_long(&self) -> Error {
        let Self { path, file_size, limit, .. } = self;
        Error::new(
            Class::TooLarge,
            format!(
                "{path}: its {file_size} bytes decompress to more than {limit}, for which there is not enough \
                 memory; use engine=\"stream\""
            ),
        )
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

/// All gzip members of a source, one after another; zeros that fill it up are no member.
struct Members<R> {
    /// The one that is read; None at the end of the source.
    member: Option<GzDecoder<R>>,
}

impl<R: BufRead> Read for Members<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while let Some(member) = &mut self.member {
            let read = member.read(buffer)?;
            if read > 0 || buffer.is_empty() {
                return Ok(read);
            }
            let more = skip_zeros(member.get_mut())?;
            self.member = self.member.take().filter(|_| more).map(|read| GzDecoder::new(read.into_inner()));
        }
        Ok(0)
    }
}

/// Goes to the next byte that is not zero; false if there is none.
fn skip_zeros(source: &mut impl BufRead) -> io::Result<bool> {
    loop {
        let bytes = source.fill_buf()?;
        if bytes.is_empty() {
            return Ok(false);
        }
        let zeros = bytes.iter().position(|&byte| byte != 0);
        let skipped = zeros.unwrap_or(bytes.len());
        source.consume(skipped);
        if zeros.is_some() {
            return Ok(true);
        }
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
                Err(error) => return Err(in_words(&error)),
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
                .map_err(|error| in_words(&error))?;
        }
        self.decoder.read(buffer)
    }
}

/// What is wrong with a frame: the innermost cause, since others repeat it as Rust writes records.
fn in_words(error: &FrameDecoderError) -> io::Error {
    let mut cause: &(dyn std::error::Error + 'static) = error;
    while let Some(inner) = cause.source() {
        cause = inner;
    }
    match cause.downcast_ref::<io::Error>() {
        Some(read) if read.kind() == ErrorKind::UnexpectedEof => ErrorKind::UnexpectedEof.into(),
        _ => io::Error::other(cause.to_string()),
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
        let result = decompress(path.to_str().unwrap(), u64::MAX, &AtomicBool::new(false));
        std::fs::remove_file(path).unwrap();
        Ok(result?.map(|pieces| pieces.concat()))
    }

    #[test]
    fn zeros_after_a_gzip_member_are_no_text() {
        let zeros = vec![0; 3 * BUFFER];
        assert_eq!(read("zeros", &[gzip(b"ab"), zeros.clone()].concat()), Ok(Some(b"ab".to_vec())));
        assert_eq!(read("zeros", &[gzip(b"ab"), zeros, gzip(b"c")].concat()), Ok(Some(b"abc".to_vec())));
        for after in [&b"\0\0some other text"[..], b"some other text"] {
            let message = read("after", &[gzip(b"ab").as_slice(), after].concat()).unwrap_err().message;
            assert!(
                message.ends_with("the compressed file is damaged or cut off: invalid gzip header"),
                "{message}"
            );
        }
    }

    #[test]
    fn damaged_zstd_frames_are_told_in_words() {
        let whole = zstd(&long_text());
        for length in 4..whole.len().min(200) {
            let message = read("cut", &whole[..length]).unwrap_err().message;
            assert!(message.ends_with("damaged or cut off: unexpected end of file"), "{message}");
        }
        for place in 4..whole.len().min(200) {
            for changed in [0, 7, 255] {
                let mut bytes = whole.clone();
                bytes[place] = changed;
                if let Err(Error { message, .. }) = read("changed", &bytes) {
                    assert!(!message.contains('{'), "{message}");
                }
            }
        }
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
    fn what_decompresses_to_more_than_the_limit_is_refused() {
        let path = file("bomb.gz", &gzip(&vec![b'x'; 3 * BUFFER]));
        let bomb = path.to_str().unwrap();
        let read = |limit| decompress(bomb, limit, &AtomicBool::new(false));
        assert_eq!(read(3 * BUFFER as u64).unwrap().unwrap().concat().len(), 3 * BUFFER);
        assert_eq!(read(3 * BUFFER as u64 - 1).unwrap_err().class, Class::TooLarge);
        assert_eq!(expanded_size(bomb), Ok(3 * BUFFER as u64));
        std::fs::remove_file(path).unwrap();
    }

    #[test]
    fn the_size_of_long_content_is_told_by_its_start() {
        let text = long_text();
        for (name, compressed) in [("size.gz", gzip(&text)), ("size.zst", zstd(&text))] {
            let path = file(name, &compressed);
            let size = expanded_size(path.to_str().unwrap()).unwrap();
            std::fs::remove_file(path).unwrap();
            assert!(size.abs_diff(text.len() as u64) < text.len() as u64 / 10, "{name}: {size}");
        }
    }

    #[test]
    fn who_is_cancelled_ends() {
        let path = file("cancelled.gz", &gzip(&long_text()));
        let found = decompress(path.to_str().unwrap(), u64::MAX, &AtomicBool::new(true));
        std::fs::remove_file(path).unwrap();
        assert_eq!(found.unwrap().unwrap().concat(), b"");
    }

    #[test]
    fn a_missing_file_is_a_usage_error() {
        let decompress = |path| decompress(path, u64::MAX, &AtomicBool::new(false)).unwrap_err().class;
        assert_eq!(decompress("/nowhere/at-all"), Class::FileMissing);
        assert_eq!(decompress("/"), Class::Usage);
    }

    #[test]
    fn progress_counts_the_files_own_bytes() {
        let bytes = gzip(&long_text());
        let path = file("progress", &bytes);
        let progress = Arc::new(Progress::default());
        open(path.to_str().unwrap(), Arc::clone(&progress))
            .unwrap()
            .read_up_to(u64::MAX, &mut Vec::new(), &AtomicBool::new(false))
            .unwrap();
        std::fs::remove_file(path).unwrap();
        assert_eq!((progress.done(), progress.total()), (bytes.len() as u64, bytes.len() as u64));
    }
}
