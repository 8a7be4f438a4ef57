import { setTimeout as sleep } from 'node:timers/promises'
import { WebSocket } from 'ws'

/** What V8 reports of an isolate: its JavaScript heap, the runtime's own objects in it, and the buffers outside it. */
type Usage = { usedSize: number; embedderHeapUsedSize: number; backingStorageSize: number }

/** The isolate that runs the Worker under test; the runtime lists those of its queues and buckets beside it. */
const WORKER = 'core:user:'
/** Milliseconds between two samples: each collects garbage first, and the Worker needs time for its work. */
const PAUSE = 30
/** The most times that a short piece of work is repeated for one peak. */
const MAX_RUNS = 30
/** Fewer samples than this say nothing about a peak. */
const MIN_SAMPLES = 3

export interface MemoryMeter {
  /** Runs the work and returns the most bytes that the isolate held meanwhile, garbage excluded. */
  peak(work: () => Promise<unknown>): Promise<number>
  close(): void
}

/**
 * Measures the memory of the Worker's isolate through the runtime's inspector. A collection runs between two turns of the Worker, so this
 * sees what is held across turns; what a single turn needs in its heap is bounded by `heapLimit` of the harness, beyond which the runtime
 * dies.
 * `turn` gives the Worker a turn: without one a requested collection waits.
 */
export async function meterMemory(inspector: URL, turn: () => Promise<unknown>): Promise<MemoryMeter> {
  const targets = (await (await fetch(`http://${inspector.host}/json`)).json()) as { id: string; webSocketDebuggerUrl: string }[]
  const target = targets.find(({ id }) => id.startsWith(WORKER))
  if (!target) throw new Error(`The inspector lists no ${WORKER}, only ${targets.map(({ id }) => id).join(', ')}`)
  const socket = new WebSocket(target.webSocketDebuggerUrl)
  await new Promise((opened, failed) => socket.once('open', opened).once('error', failed))
  const pending = new Map<number, (result: unknown) => void>()
  socket.on('message', (data) => {
    const { id, result } = JSON.parse(String(data)) as { id?: number; result?: unknown }
    if (id === undefined) return
    pending.get(id)?.(result)
    pending.delete(id)
  })
  let lastId = 0
  const call = <Result>(method: string): Promise<Result> =>
    new Promise((resolve) => {
      const id = ++lastId
      pending.set(id, resolve as (result: unknown) => void)
      socket.send(JSON.stringify({ id, method }))
    })
  const sample = async (): Promise<number> => {
    await call('HeapProfiler.collectGarbage')
    const { usedSize, embedderHeapUsedSize, backingStorageSize } = await call<Usage>('Runtime.getHeapUsage')
    return usedSize + embedderHeapUsedSize + backingStorageSize
  }
  return {
    async peak(work) {
      let [most, samples, isRunning] = [0, 0, true]
      const sampling = (async () => {
        while (isRunning) {
          most = Math.max(most, await sample())
          samples++
          await sleep(PAUSE)
        }
      })()
      try {
        // Work that is over quickly is repeated until there are enough samples.
        for (let run = 0; run < MAX_RUNS && samples < MIN_SAMPLES; run++) await work()
      } finally {
        isRunning = false
        await turn()
        await sampling
      }
      if (samples < MIN_SAMPLES) throw new Error(`Only ${samples} samples were taken: the work is too short to be measured`)
      return most
    },
    close: () => socket.close(),
  }
}
