use crate::BuildError;
use rustix::process::{
    Pid, Signal, WaitId, WaitIdOptions, kill_process, kill_process_group, waitid,
};
use std::fs::File;
use std::io::{self, IsTerminal};
use std::os::fd::AsFd;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// How often a running build is asked whether it has ended.
const POLL: Duration = Duration::from_millis(10);

/// How long a build that was told to end may take before it is killed.
const GRACE: Duration = Duration::from_secs(10);

/// The destination of a build's output.
#[derive(Debug)]
pub enum Output {
    /// To where tamis prints.
    Inherit,
    /// All to standard error: standard output is kept for an answer.
    Stderr,
    /// Both streams into a file.
    File(File),
}

/// How a build ended.
#[derive(Debug)]
pub struct Finished {
    /// Its exit status.
    pub status: ExitStatus,
    /// How long it took.
    pub took: Duration,
    /// Whether it took too long and was ended.
    pub was_ended: bool,
}

/// The user or the system asked tamis to stop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Interrupt {
    /// Ctrl-C.
    Interrupt,
    /// `kill`.
    Terminate,
}

/// Catches the signals that end a process, so that what ran until then can be kept.
#[derive(Debug, Clone)]
pub struct Signals {
    interrupt: Arc<AtomicBool>,
    terminate: Arc<AtomicBool>,
}

impl Signals {
    /// Catches these signals, which no longer end this process.
    pub fn catch() -> io::Result<Signals> {
        let signals = Signals {
            interrupt: Arc::default(),
            terminate: Arc::default(),
        };
        for (signal, flag) in [
            (signal_hook::consts::SIGINT, &signals.interrupt),
            (signal_hook::consts::SIGTERM, &signals.terminate),
            (signal_hook::consts::SIGHUP, &signals.terminate),
        ] {
            signal_hook::flag::register(signal, Arc::clone(flag))?;
        }
        Ok(signals)
    }

    /// The signal that came so far.
    pub fn received(&self) -> Option<Interrupt> {
        if self.terminate.load(Ordering::SeqCst) {
            Some(Interrupt::Terminate)
        } else {
            self.interrupt
                .load(Ordering::SeqCst)
                .then_some(Interrupt::Interrupt)
        }
    }
}

/// Runs a build to its end, also when a signal comes: the build is told, and waited for.
pub fn run(
    mut command: Command,
    output: Output,
    signals: &Signals,
) -> Result<Finished, BuildError> {
    let start = Instant::now();
    let child = spawn(&mut command, output, signals)?;
    let status = wait(child, signals).map_err(BuildError::Wait)?;
    Ok(Finished {
        status,
        took: start.elapsed(),
        was_ended: false,
    })
}

/// Runs a build in a process group of its own, and ends the whole group when it takes longer than `most`: it is told to end, then
/// killed. Processes that a build leaves in its group are killed, too.
pub fn run_within(
    mut command: Command,
    output: Output,
    signals: &Signals,
    most: Duration,
) -> Result<Finished, BuildError> {
    // A group that is not the terminal's must not read from it.
    command.stdin(Stdio::null()).process_group(0);
    let start = Instant::now();
    let child = spawn(&mut command, output, signals)?;
    let (status, was_ended) = wait_for_group(child, signals, most).map_err(BuildError::Wait)?;
    Ok(Finished {
        status,
        took: start.elapsed(),
        was_ended,
    })
}

fn spawn(command: &mut Command, output: Output, signals: &Signals) -> Result<Child, BuildError> {
    let program = command.get_program().to_string_lossy().into_owned();
    let failed = |source| BuildError::Start {
        program: program.clone(),
        source,
    };
    match output {
        Output::Inherit => {}
        Output::Stderr => {
            let stderr = io::stderr().as_fd().try_clone_to_owned().map_err(failed)?;
            command.stdout(Stdio::from(stderr));
        }
        Output::File(file) => {
            command
                .stdout(file.try_clone().map_err(failed)?)
                .stderr(file);
        }
    }
    if signals.received().is_some() {
        return Err(BuildError::Interrupted);
    }
    command.spawn().map_err(failed)
}

fn wait(mut child: Child, signals: &Signals) -> io::Result<ExitStatus> {
    let mut told = None;
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(status);
        }
        let received = signals.received();
        if received != told {
            told = received;
            forward(&child, received);
        }
        thread::sleep(POLL);
    }
}

/// Waits for the first process of a group, and kills what is left of the group then.
fn wait_for_group(
    mut child: Child,
    signals: &Signals,
    most: Duration,
) -> io::Result<(ExitStatus, bool)> {
    let Some(group) = pid(&child) else {
        return Ok((child.wait()?, false));
    };
    let start = Instant::now();
    let mut told_at = None;
    // The number of the group is its own until its first process is waited for: it is only looked at here.
    let has_ended = || {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        Ok::<bool, io::Error>(waitid(WaitId::Pid(group), options)?.is_some())
    };
    while !has_ended()? {
        let is_late = start.elapsed() > most;
        match told_at {
            None if is_late || signals.received().is_some() => {
                told_at = Some(Instant::now());
                let _ = kill_process_group(group, Signal::TERM);
            }
            Some(at) if at.elapsed() > GRACE => {
                let _ = kill_process_group(group, Signal::KILL);
            }
            _ => {}
        }
        thread::sleep(POLL);
    }
    // There may be nobody left to kill.
    let _ = kill_process_group(group, Signal::KILL);
    let was_ended = told_at.is_some() && signals.received().is_none();
    Ok((child.wait()?, was_ended))
}

fn pid(child: &Child) -> Option<Pid> {
    i32::try_from(child.id()).ok().and_then(Pid::from_raw)
}

/// A terminal sends Ctrl-C to the build itself; a second one might make it drop everything.
fn forward(child: &Child, received: Option<Interrupt>) {
    let signal = match received {
        Some(Interrupt::Terminate) => Signal::TERM,
        Some(Interrupt::Interrupt) if !has_terminal() => Signal::INT,
        _ => return,
    };
    if let Some(pid) = pid(child) {
        // The child is not waited for yet, so its number still is its own; if it just ended, there
        // is nobody to tell.
        let _ = kill_process(pid, signal);
    }
}

fn has_terminal() -> bool {
    io::stdin().is_terminal() || io::stdout().is_terminal() || io::stderr().is_terminal()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn signals() -> Signals {
        Signals {
            interrupt: Arc::default(),
            terminate: Arc::default(),
        }
    }

    fn shell(script: &str) -> Command {
        let mut command = Command::new("sh");
        command.args(["-c", script]).current_dir("/");
        command
    }

    #[test]
    fn a_command_is_run_and_its_end_is_told() {
        let dir = tempfile::tempdir().unwrap();
        let log = dir.path().join("log");
        let output = Output::File(File::create(&log).unwrap());
        let script = "echo words; pwd >&2; exit 3";
        let finished = run(shell(script), output, &signals()).unwrap();
        assert_eq!(finished.status.code(), Some(3));
        let printed = std::fs::read_to_string(log).unwrap();
        assert_eq!(printed, "words\n/\n");
    }

    #[test]
    fn a_command_that_is_told_to_end_is_waited_for() {
        let signals = signals();
        let later = signals.clone();
        let script = "trap 'exit 7' TERM; while :; do sleep 0.01; done";
        let teller = thread::spawn(move || {
            thread::sleep(Duration::from_millis(300));
            later.terminate.store(true, Ordering::SeqCst);
        });
        let finished = run(shell(script), Output::Inherit, &signals).unwrap();
        assert_eq!(finished.status.code(), Some(7));
        teller.join().unwrap();
        let again = run(shell(script), Output::Inherit, &signals);
        assert!(matches!(again, Err(BuildError::Interrupted)), "{again:?}");
    }

    fn within(script: &str, most: Duration, signals: &Signals) -> Finished {
        run_within(shell(script), Output::Inherit, signals, most).unwrap()
    }

    #[test]
    fn a_command_that_takes_too_long_is_ended_with_all_that_it_started() {
        let dir = tempfile::tempdir().unwrap();
        let alive = dir.path().join("alive");
        // The second process ignores being told to end, and would write again and again.
        let script = format!(
            "(trap '' TERM; while :; do echo x >> {}; sleep 0.02; done) & exec sleep 60",
            alive.display()
        );
        let finished = within(&script, Duration::from_millis(300), &signals());
        assert!(finished.was_ended);
        assert!(!finished.status.success() && finished.took < Duration::from_secs(50));
        let size = || std::fs::metadata(&alive).unwrap().len();
        thread::sleep(Duration::from_millis(100));
        let before = size();
        thread::sleep(Duration::from_millis(300));
        assert_eq!(size(), before);
    }

    #[test]
    fn a_command_that_ends_in_time_leaves_nobody() {
        let dir = tempfile::tempdir().unwrap();
        let alive = dir.path().join("alive");
        let script = format!("(sleep 1; touch {}) & exit 3", alive.display());
        let finished = within(&script, Duration::from_secs(60), &signals());
        assert_eq!(
            (finished.status.code(), finished.was_ended),
            (Some(3), false)
        );
        thread::sleep(Duration::from_millis(1300));
        assert!(!alive.exists());
    }

    #[test]
    fn a_group_is_told_of_a_signal_and_did_not_take_too_long() {
        let signals = signals();
        let later = signals.clone();
        let teller = thread::spawn(move || {
            thread::sleep(Duration::from_millis(300));
            later.interrupt.store(true, Ordering::SeqCst);
        });
        let finished = within("sleep 60", Duration::from_secs(60), &signals);
        assert!(!finished.was_ended && !finished.status.success());
        teller.join().unwrap();
    }
}
