import * as v from 'valibot'
import { Company } from '../../companies/schemas/companies.ts'
import { Contact } from '../../contacts/schemas/contacts.ts'
import { Message } from '../../messages/schemas/messages.ts'
import { Opportunity } from '../../opportunities/schemas/opportunities.ts'
import { Task } from '../../tasks/schemas/tasks.ts'
import { type AwaitedEvent, awaitedTypes } from '../rules/event-waits.ts'
import type { Step } from '../rules/types.ts'
import { ANY, eventShape, type Shape } from './names.ts'

const scalar = v.string()
const FOUND: Record<string, v.GenericSchema> = { contacts: Contact, companies: Company, opportunities: Opportunity }
/** What the steps return that are a request with one kind of answer. */
const RETURNED: Record<string, v.GenericSchema> = {
  create_contact: Contact,
  update_contact: Contact,
  create_company: Company,
  update_company: Company,
  create_opportunity: Opportunity,
  update_opportunity: Opportunity,
  create_task: Task,
  send_email: Message,
  send_sms: Message,
  send_whatsapp: Message,
}

/** Why a step failed or was skipped. */
const FAILURE = { failure: v.nullable(v.object({ code: scalar, message: scalar, details: v.unknown() })) }

/** The shape of what a step leads to. */
export function outputOf(step: Step): Shape {
  const returned = RETURNED[step.type]
  if (returned) return [v.object({ ...(returned as v.GenericSchema & { entries: v.ObjectEntries }).entries, ...FAILURE })]
  if (step.type === 'wait') {
    const event = step.event as AwaitedEvent | undefined
    return event ? eventShape(awaitedTypes(event)).map((one) => v.object({ ended: scalar, event: one })) : [v.object({ ended: scalar })]
  }
  if (step.type === 'branch') return [v.object({ branch: scalar })]
  if (step.type === 'condition') return [v.object({ holds: scalar })]
  if (step.type === 'for_each') return [v.object({ items: scalar })]
  if (step.type === 'http_request') {
    const names = Object.keys((step.output as object | undefined) ?? { body: 1 })
    return [v.object({ ...FAILURE, status: scalar, ...Object.fromEntries(names.map((name) => [name, v.unknown()])) })]
  }
  return ANY
}

/** The shape of the items of a loop. */
export function itemsOf({ search }: Step): Shape {
  const found = search === undefined ? undefined : FOUND[(search as { object: string }).object]
  return found ? [found] : ANY
}
