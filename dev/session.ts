import { findLauncher, inspectProcess } from './processes.ts'
import { Complaint } from './settings.ts'

/** A program that runs in the foreground until it is stopped. */
export interface Session {
  /** Notes what must be undone at the end; the last one noted is undone first. */
  atEnd(step: () => unknown): void
  /** Aborted as soon as the process is asked to end. */
  stopping: AbortSignal
  /** Undoes everything and ends the process. */
  end(code: number): Promise<void>
  /** The same after a failure that one sentence explains. Once the session is ending it does nothing. */
  fail(sentence: string): Promise<void>
}

/** Runs `start`, then stays until Ctrl-C or a signal; when `start` fails, all it did is undone and the exit code is 1. */
export async function runUntilStopped(start: (session: Session) => Promise<void>): Promise<void> {
  const steps: (() => unknown)[] = []
  const abort = new AbortController()
  let started: Promise<void> = Promise.resolve()

  const end = async (code: number) => {
    if (abort.signal.aborted) return
    abort.abort()
    // What is half started can't be stopped: it first comes up, in well under a second.
    await started.catch(() => {})
    for (const step of steps.reverse()) await Promise.resolve().then(step).catch(console.error)
    process.exit(code)
  }
  const fail = async (sentence: string) => {
    if (abort.signal.aborted) return
    console.error(sentence)
    await end(1)
  }
  // npm does not hand every signal on: when it is gone, so are we.
  if (process.env.npm_lifecycle_event) {
    const launcher = findLauncher()
    setInterval(() => {
      if (!inspectProcess(launcher)) void end(0)
    }, 500).unref()
  }
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => void end(0))

  try {
    started = start({ atEnd: (step) => steps.push(step), stopping: abort.signal, end, fail })
    await started
  } catch (error) {
    if (!abort.signal.aborted) console.error(error instanceof Complaint ? error.message : error)
    await end(1)
  }
}
