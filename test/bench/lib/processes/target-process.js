import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, ftruncateSync, openSync, readFileSync } from 'node:fs';

const patience = 20_000;

const clockTicks = 100;

const residentMegabytes = (pid, field) =>
  Number(new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]) /
  1024;

/** The most resident megabytes that a process ever had; undefined once it has ended. */
export const mostResidentMegabytes = (pid) => {
  try {
    return residentMegabytes(pid, 'VmHWM');
  } catch {
    return undefined;
  }
};

/** Seconds of processor time that a process has used so far (proc(5): utime and stime, in ticks). */
export const processorSeconds = (pid) => {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ');
  return (Number(fields[11]) + Number(fields[12])) / clockTicks;
};

const addressFrom = (child) =>
  new Promise((resolve, reject) => {
    let words = '';
    const timer = setTimeout(() => reject(new Error(`not ready within ${patience} ms: ${words}`)), patience);
    child.stderr.on('data', (chunk) => {
      words += chunk;
      const address = /serves (http:\/\/\S+)/.exec(words)?.[1];
      if (address !== undefined) {
        clearTimeout(timer);
        resolve(address);
      }
    });
    child.once('exit', (code) => {
      clearTimeout(timer);
      reject(new Error(`ended with ${code}: ${words}`));
    });
  });

/** Starts a server; its standard output, the log, goes to a file. */
export const startTarget = async ({ arguments: nodeArguments, databaseUrl, key, logFile, apiKeys }) => {
  const log = openSync(logFile, 'a');
  const child = spawn(process.execPath, nodeArguments, {
    env: {
      PATH: process.env.PATH,
      NODE_ENV: 'production',
      PORT: '0',
      DATABASE_URL: databaseUrl,
      ...(apiKeys === undefined ? {} : { API_KEYS: apiKeys }),
    },
    stdio: ['ignore', log, 'pipe'],
  });
  const address = await addressFrom(child);
  return {
    address,
    key,
    pid: child.pid,
    /** Resident megabytes, now. */
    resident: () => residentMegabytes(child.pid, 'VmRSS'),
    /** The most resident megabytes that it ever had. */
    mostResident: () => residentMegabytes(child.pid, 'VmHWM'),
    emptyLog: () => {
      ftruncateSync(log);
    },
    stop: async () => {
      const ended = child.exitCode === null ? once(child, 'exit') : undefined;
      child.kill('SIGTERM');
      const timer = setTimeout(() => child.kill('SIGKILL'), 5_000);
      await ended;
      clearTimeout(timer);
      closeSync(log);
    },
  };
};
