import { findLauncher, inspectProcess } from './processes.ts'
import { Complaint } from './settings.ts'

/** A program that runs in the foreground until it stops. */
export interface Session {
  /** Registers a cleanup for the end; the last one registered runs first. */
  atEnd(step: () => unknown): void
  /** Aborted as soon as the process is asked to end. */
  stopping: AbortSignal
  /** Runs all cleanups and ends the process. */
  end(code: number): Promise<void>
  /** The same after a failure, which one sentence explains. Does nothing if the session is already ending. */
  fail(sentence: string): Promise<void>
}

/** Runs `start`, then waits for Ctrl-C or a signal. If `start` fails, the cleanups run and the exit code is 1. */
export async function runUntilStopped(start: (session: Session) => Promise<void>): Promise<void> {
  const steps: (() => unknown)[] = []
  const abort = new AbortController()
  let started: Promise<void> = Promise.resolve()

  const end = async (code: number) => {
    if (abort.signal.aborted) return
    abort.abort()
    // A process that is still starting cannot be stopped, so its start is awaited, which takes less than a second.
    await started.catch(() => {})
    for (const step of steps.reverse()) await Promise.resolve().then(step).catch(console.error)
    process.exit(code)
  }
  const fail = async (sentence: string) => {
    if (abort.signal.aborted) return
    console.error(sentence)
    await end(1)
  }
  // npm does not forward every signal, so this program ends when npm does.
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
