import * as v from 'valibot'
import {
  CALL_DIRECTIONS,
  CALL_PROVIDERS,
  CALL_SENTIMENTS,
  CALL_STAGES,
  CALL_STATUSES,
  outcomeOfReason,
  STATUS_OF_TWILIO,
  storable,
} from '../rules/calls.ts'

const number = v.pipe(v.string(), v.regex(/^\+[0-9]{2,20}$/))
const text = v.nullable(v.string())
const time = v.nullable(v.pipe(v.string(), v.isoTimestamp()))

/** What a provider has reported about a call, as the queue carries it. `stage`: the rank of what it knows among CALL_STAGES. */
export const CallReport = v.object({
  provider: v.picklist(CALL_PROVIDERS),
  provider_call_id: v.pipe(v.string(), v.maxLength(100)),
  stage: v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(CALL_STAGES.length - 1)),
  direction: v.picklist(CALL_DIRECTIONS),
  status: v.picklist(CALL_STATUSES),
  phone_number: number,
  external_phone_number: v.nullable(number),
  agent_id: text,
  started_at: time,
  ended_at: time,
  duration_seconds: v.nullable(v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(604_800))),
  ended_reason: text,
  recording_url: text,
  transcript_url: text,
  transcript: text,
  summary: text,
  sentiment: v.nullable(v.picklist(CALL_SENTIMENTS)),
  is_successful: v.nullable(v.boolean()),
  /** The number of the agent's version at the provider. */
  agent_version: v.optional(v.nullable(v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(1_000_000))), null),
  tool_calls: v.optional(v.nullable(v.pipe(v.array(v.string()), v.maxLength(100))), null),
  cost_cents: v.optional(v.nullable(v.pipe(v.number(), v.minValue(0), v.maxValue(1_000_000))), null),
})
export type CallReport = v.InferOutput<typeof CallReport>

const EVENTS: Record<string, number> = { call_started: 0, call_ended: 1, call_analyzed: 2 }
/** A value of any other form counts as none. */
const maybe = <S extends v.GenericSchema>(schema: S) =>
  v.optional(
    v.union([
      schema,
      v.pipe(
        v.unknown(),
        v.transform(() => null),
      ),
    ]),
    null,
  )
const instant = maybe(v.pipe(v.number(), v.minValue(0), v.maxValue(8_640_000_000_000_000)))
const Analysis = v.object({
  call_summary: maybe(v.string()),
  user_sentiment: maybe(v.pipe(v.string(), v.toLowerCase(), v.picklist(CALL_SENTIMENTS))),
  call_successful: maybe(v.boolean()),
})
const RetellCall = v.object({
  event: v.picklist(Object.keys(EVENTS)),
  call: v.object({
    call_id: v.pipe(v.string(), v.regex(/^[\w-]{1,100}$/)),
    call_status: maybe(v.string()),
    direction: v.picklist(CALL_DIRECTIONS),
    from_number: maybe(v.string()),
    to_number: maybe(v.string()),
    agent_id: maybe(v.string()),
    agent_version: maybe(v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(1_000_000))),
    call_cost: maybe(v.object({ combined_cost: maybe(v.pipe(v.number(), v.minValue(0), v.maxValue(1_000_000))) })),
    transcript_with_tool_calls: maybe(v.array(v.object({ role: maybe(v.string()), name: maybe(v.string()) }))),
    start_timestamp: instant,
    end_timestamp: instant,
    duration_ms: instant,
    disconnection_reason: maybe(v.string()),
    recording_url: maybe(v.string()),
    public_log_url: maybe(v.string()),
    transcript: maybe(v.string()),
    call_analysis: maybe(Analysis),
  }),
})

/**
 * A report in the form of Retell's webhook (https://docs.retellai.com/features/webhook-overview); undefined for what is about no call by
 * phone.
 */
export function retellReportOf(body: unknown): CallReport | undefined {
  const parsed = v.safeParse(RetellCall, body)
  if (!parsed.success) return undefined
  const { event, call } = parsed.output
  const isInbound = call.direction === 'inbound'
  const [own, other] = isInbound ? [call.to_number, call.from_number] : [call.from_number, call.to_number]
  const stage = EVENTS[event] as number
  const reason = call.disconnection_reason
  const length =
    call.duration_ms ?? (call.end_timestamp !== null && call.start_timestamp !== null ? call.end_timestamp - call.start_timestamp : null)
  const report = {
    provider: 'retell',
    provider_call_id: call.call_id,
    stage,
    direction: call.direction,
    agent_id: short(call.agent_id),
    status: stage === 0 ? 'in_progress' : call.call_status === 'error' ? 'failed' : outcomeOfReason(reason ?? ''),
    phone_number: own,
    external_phone_number: numberOf(other),
    started_at: isoOf(call.start_timestamp),
    ended_at: isoOf(call.end_timestamp),
    duration_seconds: stage === 0 || length === null || length < 0 ? null : Math.round(length / 1000),
    ended_reason: short(reason),
    recording_url: urlOf(call.recording_url),
    transcript_url: urlOf(call.public_log_url),
    transcript: call.transcript ? storable(call.transcript) : null,
    summary: call.call_analysis?.call_summary ? storable(call.call_analysis.call_summary, 5_000) : null,
    sentiment: call.call_analysis?.user_sentiment ?? null,
    is_successful: call.call_analysis?.call_successful ?? null,
    agent_version: call.agent_version,
    cost_cents: call.call_cost?.combined_cost ?? null,
    tool_calls: toolCallsOf(call.transcript_with_tool_calls),
  }
  return reportOf(report)
}

const MAX_TOOL_CALLS = 100
/** The names of the tools that an agent has called; null where the report does not say. */
const toolCallsOf = (entries: { role: string | null; name: string | null }[] | null) =>
  entries?.flatMap(({ role, name }) => (role === 'tool_call_invocation' && name ? [storable(name, 100)] : [])).slice(0, MAX_TOOL_CALLS) ??
  null

const TwilioCall = v.object({
  CallSid: v.pipe(v.string(), v.regex(/^CA[0-9a-zA-Z]{1,60}$/)),
  CallStatus: v.string(),
  From: v.string(),
  To: v.string(),
})

/**
 * A report in the form of Twilio's status callback (https://www.twilio.com/docs/voice/twiml#request-parameters); undefined for any other
 * form.
 */
export function twilioReportOf(form: Record<string, string>): CallReport | undefined {
  const parsed = v.safeParse(TwilioCall, form)
  const status =
    parsed.success && Object.hasOwn(STATUS_OF_TWILIO, parsed.output.CallStatus) ? STATUS_OF_TWILIO[parsed.output.CallStatus] : undefined
  if (!parsed.success || !status) return undefined
  const { CallSid, CallStatus, From, To } = parsed.output
  const isInbound = !form.Direction?.startsWith('outbound')
  const [own, other] = isInbound ? [To, From] : [From, To]
  const hasEnded = !['ringing', 'in_progress'].includes(status)
  const seconds = /^\d{1,6}$/.exec(form.CallDuration ?? '')?.[0]
  const at = Date.parse(form.Timestamp ?? '')
  const length = seconds === undefined ? null : Number(seconds)
  return reportOf({
    provider: 'twilio',
    provider_call_id: CallSid,
    stage: hasEnded ? 1 : 0,
    direction: isInbound ? 'inbound' : 'outbound',
    status,
    phone_number: own,
    external_phone_number: numberOf(other),
    agent_id: null,
    agent_version: null,
    tool_calls: null,
    cost_cents: null,
    started_at: Number.isNaN(at) ? null : isoOf(at - (hasEnded ? (length ?? 0) * 1000 : 0)),
    ended_at: hasEnded && !Number.isNaN(at) ? isoOf(at) : null,
    duration_seconds: hasEnded ? length : null,
    ended_reason: hasEnded ? CallStatus : null,
    recording_url: urlOf(form.RecordingUrl ?? null),
    transcript_url: null,
    transcript: null,
    summary: null,
    sentiment: null,
    is_successful: null,
  })
}

const Inbound = v.object({ event: v.literal('call_inbound'), call_inbound: v.object({ to_number: number }) })

/** The number that is called, of the question that Retell asks before an agent answers; undefined for any other body. */
export const calledNumberOf = (body: unknown): string | undefined => {
  const parsed = v.safeParse(Inbound, body)
  return parsed.success ? parsed.output.call_inbound.to_number : undefined
}

function reportOf(report: unknown): CallReport | undefined {
  const parsed = v.safeParse(CallReport, report)
  return parsed.success ? parsed.output : undefined
}

const short = (text: string | null) => (text ? storable(text, 200) : null)
const isoOf = (ms: number | null) => (ms === null ? null : new Date(ms).toISOString())
const numberOf = (text: string | null) => (v.is(number, text) ? text : null)

/** A link that a browser may open. */
function urlOf(text: string | null): string | null {
  if (text === null || text.length > 2_000 || !URL.canParse(text)) return null
  return ['https:', 'http:'].includes(new URL(text).protocol) ? text : null
}
