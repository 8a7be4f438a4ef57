import { Hono } from 'hono'
import { transcripts } from '../../schema/index.ts'
import { getCoaching, getTranscript, requestTranscript } from '../../src/features/transcripts/plans/transcripts.ts'
import {
  CoachingQuery,
  NewTranscript,
  Transcript,
  TranscriptCoaching,
  TranscriptDetails,
  transcriptFilters,
} from '../../src/features/transcripts/schemas/transcripts.ts'
import { created, one, scopes } from '../../src/http/modes.ts'
import { resource } from '../../src/http/resource.ts'
import { type App, endpoints } from '../../src/http/router.ts'
import { AGENTS } from '../paths.ts'

export const transcriptsRouter = new Hono<App>()
export const transcriptsApi = endpoints(transcriptsRouter, { path: AGENTS.transcripts, tag: 'Transcripts' })

transcriptsApi.post(
  '/transcribe',
  {
    id: 'transcribeAudio',
    summary: 'Transcribe a recording',
    description:
      'The recording is looked at and transcribed in the background: `status` says how far it is. ' +
      'Redirects and private addresses are refused. It costs 23 credits for each minute that has begun, when it is done.',
    access: scopes('agent-ops:write'),
    body: NewTranscript,
    returns: created(TranscriptDetails, AGENTS.transcripts),
    errors: ['CHANNEL_NOT_CONFIGURED', 'INSUFFICIENT_CREDITS'],
  },
  ({ ctx, body }) => requestTranscript(ctx, body),
)
transcriptsApi.get(
  '/coaching',
  {
    id: 'getTranscriptCoaching',
    summary: 'Get figures about a conversation',
    description:
      'Who speaks how much, who interrupts, which questions are asked. ' +
      'They are computed from the times of the transcript; no model guesses.',
    access: scopes('agent-ops:read'),
    query: CoachingQuery,
    returns: one(TranscriptCoaching),
    errors: ['NOT_FOUND', 'INVALID_STATE'],
  },
  ({ query }) => getCoaching(query.transcript_id),
)
resource(transcriptsApi, {
  name: 'transcript',
  plural: 'transcripts',
  scope: 'agent-ops',
  table: transcripts,
  returns: Transcript,
  record: TranscriptDetails,
  list: { filters: transcriptFilters },
  get: { plan: getTranscript },
  remove: { description: 'What was said is deleted with it. The activity on the timeline stays.' },
  history: true,
})
