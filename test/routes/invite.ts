import { type Crm, created, found, type Row } from './crm.ts'

let people = 0
export const newEmail = () => `person-${++people}@example.com`

/** Inviting people, and reading the emails that they get. */
export function inviting(crm: Crm) {
  const emailsTo = (email: string): Row[] => crm.app.email.sent.filter(({ To }) => To === email)

  const invite = async (fields: Row = {}) => created(await crm.ws.post('/company/users/invite', { email: newEmail(), ...fields }))

  return {
    emailsTo,
    invite,
    /** Invites a person who has a name of their own in another workspace. */
    async inviteFromElsewhere(fields: Row = {}): Promise<{ id: string; own: string }> {
      const { userId } = await crm.app.workspace()
      const { rows } = await crm.app.owner.query('select email, full_name from users where id = $1', [userId])
      return { id: (await invite({ email: rows[0].email, ...fields })).id, own: rows[0].full_name }
    },
    member: async (id: string) => found(await crm.ws.get(`/company/users/${id}`)),
    /** The tokens in all emails to an address, the oldest first. */
    async tokensOf(email: string): Promise<string[]> {
      await crm.app.drain()
      return emailsTo(email).map(tokenIn)
    },
    async accept(token: string | undefined, fields: Row = {}) {
      const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ token, ...fields }) }
      const response = await crm.app.fetch('/v1/invitations/accept', init)
      return { status: response.status, body: (await response.json()) as Row }
    },
    /** As if minutes had gone by since anything was tried, and the sweep came. */
    async later() {
      await crm.app.owner.query("update outbox set claimed_at = claimed_at - interval '10 minutes' where delivered_at is null")
      await crm.app.owner.query("update invitations set attempted_at = attempted_at - interval '10 minutes'")
      await crm.app.cron('* * * * *')
    },
  }
}

export const tokenIn = ({ TextBody }: Row): string => /\/invitations\/([0-9a-f]{64})$/m.exec(TextBody)![1]!
