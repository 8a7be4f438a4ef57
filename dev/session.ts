import { findLauncher, inspectProcess } from './processes.ts'
import { explain } from './settings.ts'

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

/**
 * Runs `start`, then waits for Ctrl-C or a signal. If `start` or anything after it fails, the cleanups run and the exit code is 1, so that
 * no process is left. `--help` prints the usage instead.
 */
export async function runUntilStopped(start: (session: Session) => Promise<void>, usage?: string): Promise<void> {
  if (usage && process.argv.includes('--help')) return console.log(usage)
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
  // Without this, what was started would outlive this process.
  for (const event of ['uncaughtException', 'unhandledRejection'] as const) process.on(event, (error) => void fail(explain(error)))

  try {
    started = start({ atEnd: (step) => steps.push(step), stopping: abort.signal, end, fail })
    await started
  } catch (error) {
    await fail(explain(error))
  }
}
