import { companies, fixed, id, type Load, oneOf } from './values.ts'

const step =
  `'{"id": "' || ${id('queueStep', '1')} || '", "of": "' || ${id('queueStep', '1')} || '", "type": "create_task", ` +
  '"fields": {"title": "Call"}}\''
const wait =
  `'{"id": "' || ${id('queueWait', '1')} || '", "of": "' || ${id('queueStep', '1')} || '", "type": "wait", "for": ` +
  '{"amount": 2, "unit": "days"}}\''

/** The automation that the first of AUTO_QUEUES is compiled into, with the rights of the workspace's first key. */
export const COMPILED_QUEUE = `
  with compiled as (
    select ${id('queue', '1')} as id, jsonb_build_array((${wait})::jsonb, (${step})::jsonb) as steps,
      '{"type": "auto_queue"}'::jsonb as trigger,
      '{"mode": "once", "concurrency": "skip"}'::jsonb as enrolment
  ), version as (
    insert into automation_versions (id, automation_id, number, definition, published_by, key_id)
      select ${id('queueVersion', '1')}, c.id, 1,
        jsonb_build_object('trigger', c.trigger, 'conditions', '[]'::jsonb, 'steps', c.steps, 'enrolment', c.enrolment), k.user_id, k.id
      from compiled c, (select * from api_keys where workspace_id = current_workspace() order by id limit 1) k
  )
  insert into automations (id, queue_id, name, state, trigger, conditions, steps, enrolment, version_id, version_number)
    select id, id, 'auto queue', 'published', trigger, '[]', steps, enrolment, ${id('queueVersion', '1')}, 1 from compiled`

/** Auto queues with a step each; every contact is, or was, enrolled in the first of them (see LOADS). */
export const AUTO_QUEUES: Load[] = [
  {
    table: 'auto_queues',
    count: companies,
    columns: fixed({
      id: id('queue', 'n'),
      name: `'Queue ' || n`,
      state: `case when n = 1 then 'active' else ${oneOf('draft', 'inactive')} end`,
      exits: `'[]'`,
      exit_types: `'{}'`,
      re_enrolment: `'{"mode": "never"}'`,
    }),
  },
  {
    table: 'auto_queue_steps',
    count: companies,
    columns: fixed({
      id: id('queueStep', 'n'),
      auto_queue_id: id('queue', 'n'),
      position: '0',
      delay: `'{"amount": 2, "unit": "days"}'`,
      action: `'{"type": "create_task", "fields": {"title": "Call"}}'`,
      wait_id: id('queueWait', 'n'),
    }),
  },
  {
    table: 'automation_runs',
    count: (size) => size,
    columns: {
      ...fixed({
        id: id('enrolment', 'n'),
        automation_id: id('queue', '1'),
        version_id: id('queueVersion', '1'),
        state: `case when n % 4 = 0 then 'waiting' else 'completed' end`,
        source: `'queue'`,
        dedupe_key: `'enrolment:' || n`,
        record_id: id('contact', 'n'),
        contact_id: id('contact', 'n'),
        place: `jsonb_build_object('frames',
          jsonb_build_array(jsonb_build_object('in', null, 'index', case when n % 4 = 0 then 0 else 2 end)), 'outputs',
          '{}'::jsonb, 'skip', '[]'::jsonb,
          'step', case when n % 4 = 0 then ${id('queueStep', '1')} end)`,
        moves: '1',
        due_at: `case when n % 4 = 0 then now() + interval '1 day' * (1 + random()) end`,
        ended_at: `case when n % 4 > 0 then now() - interval '1 day' * random() end`,
      }),
    },
  },
]
