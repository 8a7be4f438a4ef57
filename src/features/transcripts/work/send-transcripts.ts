import type { Kind } from '../../../../queues/work/kind.ts'
import { outsideHttpOf, transcriberOf } from '../../../http/deployment.ts'
import { type ClaimedTranscript, handOver } from '../plans/hand-over.ts'

/** Recordings are handed to the provider that transcribes them, and again if it does not report. */
export const transcriptsSend: Kind<ClaimedTranscript> = {
  name: 'transcripts.send',
  queue: 'WEBHOOKS',
  table: 'transcripts',
  where: "t.status in ('queued', 'transcribing')",
  writes: ['status', 'error', 'provider_request_id'],
  emits: true,
  lease: 120,
  atOnce: 4,
  claims: 10,
  isOn: (env) => transcriberOf(env) !== undefined,
  async call({ env, workspaceId, item, attempts }) {
    const transcriber = transcriberOf(env)
    if (!transcriber) throw new Error('This deployment has no provider of transcripts')
    const handing = { transcriber, outside: outsideHttpOf(env), apiUrl: env.API_URL, secret: env.FILE_SECRET, workspaceId }
    const { wait, ...results } = await handOver(item, attempts, handing)
    return { results, wait, failed: true }
  },
}
