//! A server that runs: its start, what the kernel knows about it, its end.

use crate::{Result, context};
use brawn_lab::process::child::Child;
use brawn_lab::process::kernel::Fields;
use brawn_lab::process::parent::Sample;
use std::fs;
use std::io::{BufRead as _, BufReader};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::path::Path;
use std::process::{ChildStdin, Command, Stdio};
use std::time::{Duration, Instant};

/// A server that does not listen after this time does not start.
const LIMIT: Duration = Duration::from_secs(20);

/// A server. It ends when this is dropped.
pub struct Server {
    child: Child,
    /// axum's server ends with it.
    _input: Option<ChildStdin>,
    /// Where it listens.
    pub address: SocketAddr,
}

impl Drop for Server {
    fn drop(&mut self) {
        self.child.stop();
    }
}

impl Server {
    /// Starts a server that prints its address.
    pub fn telling(program: &Path) -> Result<Self> {
        let mut command = Command::new(program);
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = context(Child::start(&mut command, None, None), "run", program)?;
        let (input, output) = (child.process.stdin.take(), child.process.stdout.take());
        let server = Self {
            child,
            _input: input,
            address: SocketAddr::from((Ipv4Addr::LOCALHOST, 0)),
        };
        let mut line = String::new();
        if let Some(output) = output {
            context(BufReader::new(output).read_line(&mut line), "read", program)?;
        }
        let address = line.trim().parse();
        let address = address.map_err(|_| format!("{} says no address", program.display()));
        server.at(address?)
    }

    /// Starts nginx in one process, with the files of `folder/www`.
    pub fn nginx(program: &Path, folder: &Path) -> Result<Self> {
        let free = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).and_then(|l| l.local_addr());
        let address = free.map_err(|error| format!("find a free port: {error}"))?;
        let settings = folder.join(format!("nginx-{}.conf", address.port()));
        let text = format!(
            "daemon off;\nmaster_process off;\npid nginx-{0}.pid;\nerror_log stderr crit;\n\
             events {{ worker_connections 256; }}\n\
             http {{\n  access_log off;\n  default_type text/plain;\n  keepalive_requests 1000000;\n  \
             gzip on;\n  gzip_types text/plain;\n  server {{ listen 127.0.0.1:{0}; root www; }}\n}}\n",
            address.port()
        );
        context(fs::write(&settings, text), "write", &settings)?;
        let mut command = Command::new(program);
        command.arg("-p").arg(folder).arg("-c").arg(&settings);
        command.args(["-e", "stderr"]).stdin(Stdio::null());
        let child = context(Child::start(&mut command, None, None), "run", program)?;
        Self {
            child,
            _input: None,
            address,
        }
        .at(address)
    }

    /// Waits until it listens at that address.
    fn at(mut self, address: SocketAddr) -> Result<Self> {
        self.address = address;
        let begin = Instant::now();
        while TcpStream::connect(address).is_err() {
            let ended = self.child.process.try_wait().ok().flatten();
            if ended.is_some() || begin.elapsed() > LIMIT {
                return Err(format!("a server does not listen at {address}: {ended:?}"));
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        Ok(self)
    }

    fn read(&self, file: &str) -> Result<String> {
        let path = format!("/proc/{}/{file}", self.child.id());
        fs::read_to_string(&path).map_err(|error| format!("read {path}: {error}"))
    }

    /// Processor time of its threads, and page faults. No thread of these servers ends before the server does.
    pub fn spent(&self) -> Result<Sample> {
        let tasks = format!("/proc/{}/task", self.child.id());
        let entries = context(fs::read_dir(&tasks), "list", Path::new(&tasks))?;
        let mut cpu = 0.0;
        for entry in entries.filter_map(|entry| entry.ok()) {
            let path = entry.path().join("schedstat");
            let text = context(fs::read_to_string(&path), "read", &path)?;
            cpu += number(text.split(' ').next())?;
        }
        let stat = self.read("stat")?;
        // The fields after the name: the state is the third of all, minor faults are the tenth, system time the fifteenth.
        let (_, fields) = stat.rsplit_once(") ").ok_or("a stat without a name")?;
        let field = |at: usize| number(fields.split(' ').nth(at - 3));
        Ok(Sample::from([
            ("cpu_ns".to_owned(), cpu),
            ("faults".to_owned(), field(10)?),
            ("system_ns".to_owned(), field(15)? * 1e7),
        ]))
    }

    /// Its memory in KiB.
    pub fn memory(&self) -> Result<Sample> {
        let mut memory = Sample::new();
        for (file, line, figure) in [
            ("status", "VmHWM:", "hwm_kb"),
            ("smaps_rollup", "Rss:", "rss_kb"),
            ("smaps_rollup", "Pss:", "pss_kb"),
            ("smaps_rollup", "Anonymous:", "anonymous_kb"),
        ] {
            let fields = Fields::of(self.child.id(), file);
            let fields = fields.map_err(|error| format!("read {file}: {error}"))?;
            let kib = fields
                .kib(line)
                .ok_or_else(|| format!("no {line} in {file}"))?;
            memory.insert(figure.to_owned(), kib as f64);
        }
        Ok(memory)
    }
}

fn number(text: Option<&str>) -> Result<f64> {
    let parsed = text.and_then(|text| text.trim().parse().ok());
    parsed.ok_or_else(|| format!("no number where the kernel has one: {text:?}"))
}
