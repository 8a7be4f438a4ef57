import { NAMED, type Outcomes } from './outcome-cases.ts'

const PAST = '2020-01-01T00:00:00Z'
const [ROW, OTHER, THIRD, FOURTH] = NAMED as [string, string, string, string]
const IDS = [ROW, OTHER, THIRD, FOURTH]
const json = (value: unknown) => `'${JSON.stringify(value)}'::jsonb`
const error = (code: string) => ({ error: { code } })
const reopen = (type: string, message: object) => `select reopen_work('${type}', ${json(message)})`
/** A call for each of these items, and one of a message of the previous release, which has another name for the item. */
const reopened = (type: string, ids: string[], formerName: string) => ({
  ...Object.fromEntries(ids.map((id) => [`of ${id[0]}`, reopen(type, { item_id: id })])),
  'by its former name': reopen(type, { [formerName]: ROW }),
})

/** What a replayed dead letter takes back: only what has failed because its message did. */
export const REOPENED: Record<string, Outcomes> = {
  'reopen_work: approval.run': {
    rows: {
      approvals: [
        { id: ROW, status: 'failed', response_status: 503, response_body: error('UNAVAILABLE') },
        { id: OTHER, status: 'failed', response_status: 409, response_body: error('CONFLICT') },
        { id: THIRD, status: 'failed', response_body: error('UNAVAILABLE'), executed_at: PAST },
        { id: FOURTH, status: 'rejected', response_body: error('UNAVAILABLE') },
      ],
    },
    calls: reopened('approval.run', IDS, 'approval_id'),
  },
  'reopen_work: import.run': {
    rows: {
      imports: [
        { id: ROW, state: 'failed', reason: 'It is down', finished_at: PAST },
        { id: OTHER, state: 'failed', reason: null, finished_at: PAST },
        { id: THIRD, state: 'undone', reason: 'It is down', finished_at: PAST },
        { id: FOURTH, state: 'ready', reason: 'It is down', finished_at: PAST },
      ],
      import_files: Object.entries({ [ROW]: 'undo', [OTHER]: 'run', [THIRD]: 'undo', [FOURTH]: 'check' }).map(([import_id, phase]) => ({
        import_id,
        phase,
      })),
    },
    calls: reopened('import.run', IDS, 'import_id'),
  },
  'reopen_work: incoming.run': {
    rows: {
      incoming_requests: [
        { id: ROW, state: 'failed', error_code: 'UNAVAILABLE', error_message: 'It is down', payload: { a: 1 }, ended_at: PAST },
        { id: OTHER, state: 'failed', error_code: 'VALIDATION_ERROR', payload: { a: 1 }, ended_at: PAST },
        { id: THIRD, state: 'failed', error_code: 'UNAVAILABLE', payload: null, ended_at: PAST },
        { id: FOURTH, state: 'done', error_code: 'UNAVAILABLE', payload: { a: 1 }, ended_at: PAST },
      ],
    },
    calls: reopened('incoming.run', IDS, 'request_id'),
  },
  'reopen_work: email.receive': {
    rows: { inbound_emails: ['failed', 'done'].map((state, n) => ({ id: IDS[n], state, error: 'It is down', ended_at: PAST })) },
    calls: reopened('email.receive', [ROW, OTHER], 'inbound_email_id'),
  },
  'reopen_work: email.scheduled': {
    rows: {
      email_drafts: [
        { id: ROW, status: 'failed', error: { code: 'UNAVAILABLE', message: 'It is down' } },
        { id: OTHER, status: 'failed', error: { code: 'CONFLICT', message: 'No' } },
        { id: THIRD, status: 'draft', error: { code: 'UNAVAILABLE', message: 'It is down' } },
      ],
    },
    calls: reopened('email.scheduled', [ROW, OTHER, THIRD], 'email_draft_id'),
  },
  'reopen_work: schedule.run': {
    rows: {
      schedule_runs: [
        { id: ROW, status: 'partial', error: { code: 'INTERNAL', message: 'It is down' }, ended_at: PAST, touched_at: PAST },
        { id: OTHER, status: 'failed', error: { code: 'INVALID_STATE', message: 'No' }, ended_at: PAST },
      ],
    },
    calls: reopened('schedule.run', [ROW, OTHER], 'schedule_run_id'),
  },
  'reopen_work: records.delete': {
    rows: {
      deletions: [
        { id: ROW, type: 'purge', table_name: 'contacts', record_id: THIRD, state: 'failed', error: 'No', attempts: 9 },
        { id: OTHER, type: 'deletion', table_name: 'contacts', record_id: FOURTH, state: 'failed', error: 'No', attempts: 9 },
      ],
    },
    calls: {
      'of a purge': reopen('records.delete', { item_id: ROW }),
      'of a deletion whose record is gone': reopen('records.delete', { item_id: OTHER }),
      'of another type': reopen('late', { item_id: ROW }),
    },
  },
}
