use crate::error::SourceError;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

const COMMAND: &str = "cat-file --batch";

/// The contents of files in the past, from one process that answers one question after the other.
#[derive(Debug)]
pub(crate) struct Blobs {
    process: Child,
    questions: Option<ChildStdin>,
    answers: BufReader<ChildStdout>,
}

impl Blobs {
    pub(super) fn of(mut command: Command) -> Result<Blobs, SourceError> {
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        command.stderr(Stdio::null());
        let mut process = command.spawn().map_err(SourceError::NoGit)?;
        let questions = process.stdin.take();
        let answers = process.stdout.take();
        let answers = answers.ok_or_else(|| lost(io::ErrorKind::BrokenPipe.into()))?;
        Ok(Blobs {
            process,
            questions,
            answers: BufReader::new(answers),
        })
    }

    /// The content of an object; `None` if the repository does not have it.
    pub(crate) fn read(&mut self, id: &str) -> Result<Option<Vec<u8>>, SourceError> {
        self.ask(id).map_err(lost)
    }

    fn ask(&mut self, id: &str) -> io::Result<Option<Vec<u8>>> {
        if let Some(questions) = &mut self.questions {
            questions.write_all(format!("{id}\n").as_bytes())?;
            questions.flush()?;
        }
        let mut head = String::new();
        self.answers.read_line(&mut head)?;
        // `<id> blob <size>`, or `<id> missing`.
        let size = match head.split_whitespace().nth(2) {
            Some(size) => size.parse::<u64>().map_err(io::Error::other)?,
            None if head.is_empty() => return Err(io::ErrorKind::UnexpectedEof.into()),
            None => return Ok(None),
        };
        let mut content = Vec::new();
        (&mut self.answers).take(size).read_to_end(&mut content)?;
        let mut end = [0];
        self.answers.read_exact(&mut end)?;
        Ok(Some(content))
    }
}

impl Drop for Blobs {
    fn drop(&mut self) {
        // It ends when nothing more is asked.
        self.questions = None;
        let _ = self.process.wait();
    }
}

fn lost(source: io::Error) -> SourceError {
    SourceError::Pipe {
        command: COMMAND.into(),
        source,
    }
}
