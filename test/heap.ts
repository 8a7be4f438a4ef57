import { setTimeout as sleep } from 'node:timers/promises'
import { WebSocket } from 'ws'

/** What an isolate's memory consists of: its heap, and the buffers beside it. */
type Usage = { usedSize: number; backingStorageSize?: number; embedderHeapUsedSize?: number }

/** Milliseconds between two looks: each collects the garbage first, and the Worker has to get on with its work. */
const PAUSE = 100

export interface HeapMeter {
  /** Bytes that are reachable now. */
  live(): Promise<number>
  /** Runs the work, and answers by how many bytes the isolate's memory grew while it ran, garbage left out. */
  growth(work: () => Promise<unknown>): Promise<number>
  close(): void
}

/** Measures a Worker's memory through the runtime's inspector: no local runtime enforces the limit that the platform does. */
export async function meterHeap(inspector: URL): Promise<HeapMeter> {
  const targets = (await (await fetch(new URL('/json/list', `http://${inspector.host}`))).json()) as {
    id: string
    webSocketDebuggerUrl: string
  }[]
  const target = targets.find(({ id }) => id.startsWith('core:user:'))
  if (!target) throw new Error('The runtime has no Worker to inspect')
  const socket = new WebSocket(target.webSocketDebuggerUrl)
  await new Promise((opened, failed) => socket.once('open', opened).once('error', failed))
  const waiting = new Map<number, (result: unknown) => void>()
  socket.on('message', (data) => {
    const { id, result } = JSON.parse(String(data)) as { id?: number; result?: unknown }
    if (id !== undefined) waiting.get(id)?.(result)
    if (id !== undefined) waiting.delete(id)
  })
  let sent = 0
  const call = <Out>(method: string): Promise<Out> =>
    new Promise((answered) => {
      const id = ++sent
      waiting.set(id, answered as (result: unknown) => void)
      socket.send(JSON.stringify({ id, method }))
    })
  // The inspector's proxy loses what comes before it has reached the runtime.
  for (let answered = false; !answered; )
    answered = await Promise.race([call('Runtime.getHeapUsage').then(() => true), sleep(PAUSE, false)])
  const live = async () => {
    await call('HeapProfiler.collectGarbage')
    const { usedSize, backingStorageSize = 0, embedderHeapUsedSize = 0 } = await call<Usage>('Runtime.getHeapUsage')
    return usedSize + backingStorageSize + embedderHeapUsedSize
  }
  return {
    live,
    async growth(work) {
      const before = await live()
      let most = before
      let running = true
      const done = work().finally(() => {
        running = false
      })
      while (running) {
        most = Math.max(most, await live())
        await sleep(PAUSE)
      }
      await done
      return most - before
    },
    close: () => socket.close(),
  }
}
