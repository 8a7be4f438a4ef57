import { type SQL, sql } from 'drizzle-orm'
import { plainRows, type Query } from '../../../data/query.ts'
import { isQuiet, type QuietHours } from '../../../domain/quiet-hours.ts'
import { type ContextModule, MAX_CONTEXT, type Mode, type ResponderChannel, type TriageActions } from '../rules/auto-responders.ts'
import type { Source } from '../rules/drafts.ts'

/** An auto responder as a run needs it. */
export type Responder = {
  id: string
  channel: ResponderChannel
  mode: Mode
  instructions: string | null
  tone: string | null
  knowledge_base_id: string | null
  context_modules: ContextModule[]
  tools: string[]
  triage_actions: TriageActions
}
/** What is known about who has written. */
export type Context = {
  contact: Record<string, string | null> | null
  opportunities: { id: string; name: string; stage: string | null }[]
  conversation: { direction: 'inbound' | 'outbound'; text: string }[]
  zone: string
  quiet_hours: QuietHours
}
export type Facts = { responder: Responder; context: Context } | null

const FIELDS = ['first_name', 'last_name', 'job_title', 'city']

/**
 * The auto responder with what its context modules show. `contact`: a query of the id of who has written; `conversation`: that of the
 * conversation.
 */
export function factsOf(id: string, contact: SQL, conversation: string | null): Query<{ facts: Facts }[]> {
  const has = (module: ContextModule) => sql`${module}::text = any (r.context_modules)`
  const fields = sql`(select jsonb_build_object('first_name', c.first_name, 'last_name', c.last_name,
    'job_title', c.job_title, 'city', c.city)
    from contacts c where c.id = w.contact_id)`
  const opportunities = sql`(select coalesce(jsonb_agg(jsonb_build_object('id', o.id, 'name', o.name, 'stage', s.name)), '[]')
    from (select k.opportunity_id from opportunity_contacts k where k.contact_id = w.contact_id order by k.opportunity_id desc limit 20) k
      join opportunities o on o.id = k.opportunity_id and o.status = 'open' and not o.archived left join stages s on s.id = o.stage_id)`
  const messages = sql`(select coalesce(jsonb_agg(jsonb_build_object('direction', m.direction, 'text', left(m.body, ${MAX_CONTEXT}::int))
    order by m.n desc), '[]')
    from conversation_texts(${conversation}::uuid, 10) m)`
  const facts = sql`select (select jsonb_build_object('responder', jsonb_build_object('id', r.id, 'channel', r.channel, 'mode', r.mode,
        'instructions', r.instructions, 'tone', r.tone, 'knowledge_base_id', r.knowledge_base_id, 'context_modules', r.context_modules,
        'tools', r.tools, 'triage_actions', r.triage_actions),
      'context', jsonb_build_object('contact', case when ${has('contact')} then ${fields} end,
        'opportunities', case when ${has('opportunities')} then ${opportunities} else '[]'::jsonb end,
        'conversation', case when ${has('conversation')} then ${messages} else '[]'::jsonb end,
        'zone', (select z.timezone from workspaces z), 'quiet_hours', (select q.quiet_hours from crm_settings q)))
    from auto_responders r cross join lateral (select (${contact}) as contact_id offset 0) w where r.id = ${id}::uuid)`
  return plainRows(facts, ['facts'])
}

/** What the model may cite of the records. */
export function sourcesOf({ contact, opportunities }: Context): Source[] {
  const fields = FIELDS.flatMap((field) => {
    const value = contact?.[field]
    return value ? [{ source: `contact.${field}`, text: value.slice(0, MAX_CONTEXT).toWellFormed(), is_entry: false }] : []
  })
  const deals = opportunities.map(({ id, name, stage }) => ({
    source: `opportunity.${id}`,
    text: [name, stage].filter((part) => part).join(': '),
    is_entry: false,
  }))
  return [...fields, ...deals]
}

export const isQuietNow = ({ quiet_hours, zone }: Context, now: Date): boolean => isQuiet(quiet_hours, now, zone)
