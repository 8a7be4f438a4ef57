import { type Crm, created, found, type Row } from '../routes/crm.ts'
import { useAutomations } from './automation.ts'

export const day = { amount: 1, unit: 'days' }
export const task = (title: string, more: Row = {}) => ({ delay: day, action: { type: 'create_task', fields: { title } }, ...more })

/** Auto queues and their enrolments, in the workspace of `crm`. */
export function useQueues(crm: Crm) {
  const automations = useAutomations(crm)
  const { settle } = automations
  /** A queue with these steps, active. */
  async function queueOf(steps: Row[], fields: Row = {}): Promise<Row & { steps: Row[] }> {
    const { id } = created(await crm.ws.post('/auto-queues', { name: `Queue ${crypto.randomUUID()}`, ...fields }))
    const all: Row[] = []
    for (const step of steps) all.push(created(await crm.ws.post(`/auto-queues/${id}/steps`, step)))
    return { ...found(await crm.ws.post(`/auto-queues/${id}/activate`)), steps: all }
  }
  const enrol = async (queue: Row, record: Row): Promise<Row> => {
    const enrolment = created(await crm.ws.post(`/auto-queues/${queue.id}/enrolments`, record))
    await settle()
    return enrolment
  }
  const enrolment = async (queue: Row, { id }: Row): Promise<Row> => found(await crm.ws.get(`/auto-queues/${queue.id}/enrolments/${id}`))
  /** Writes an event as the part of the API that it belongs to would. */
  const emit = (type: string, payload: Row) =>
    crm.app.owner.query("select set_config('app.workspace_id', $1, true), emit($2, split_part($2, '.', 1), gen_random_uuid(), $3)", [
      crm.ws.id,
      type,
      payload,
    ])
  const change = (queue: Row, { id }: Row, verb: string, body: Row = {}) =>
    crm.ws.post(`/auto-queues/${queue.id}/enrolments/${id}/${verb}`, verb === 'skip' ? body : undefined)
  const titles = async (contact: Row): Promise<string[]> =>
    (found(await crm.ws.get(`/contacts/${contact.id}/tasks`)) as Row[]).map(({ title }) => title).toSorted()
  const counts = async (queue: Row): Promise<Row> => found(await crm.ws.get(`/auto-queues/${queue.id}/counts`))
  return { ...automations, queueOf, enrol, enrolment, emit, change, titles, counts }
}
