import type { Kind } from '../../../../queues/work/kind.ts'

/** How often the figures of a client are read, in seconds. */
const EVERY = 3_600

/** The figures that an agency has of each client are read in the client's workspace. */
export const agencyClients: Kind<unknown> = {
  name: 'agency.clients',
  queue: 'WEBHOOKS',
  table: 'agency_clients',
  key: 'client_id',
  where: 't.ended_at is null',
  writes: [],
  settle: 'conclude_client_check',
  lease: 60,
  atOnce: 6,
  inTurn: true,
  claims: 10,
  call: async () => ({ wait: EVERY }),
}
