/** Whom a WhatsApp id names: a person by number, a person whose number is hidden, a group, or nothing that the inbox shows. */
export type Address = { kind: 'phone'; phone: string } | { kind: 'lid'; lid: string } | { kind: 'group'; jid: string } | { kind: 'other' }

/** Reads a WhatsApp id: `61400000001@s.whatsapp.net`, `1203@g.us` or `1234@lid`. An id with `@lid` never gives a phone number. */
export function addressOfJid(jid: string | null | undefined): Address {
  const [, user = '', server = ''] = /^([\d-]{3,40})(?::\d+)?@([a-z.]+)$/.exec(jid ?? '') ?? []
  if (server === 's.whatsapp.net' && /^\d{5,15}$/.test(user)) return { kind: 'phone', phone: `+${user}` }
  if (server === 'lid') return { kind: 'lid', lid: `${user}@lid` }
  if (server === 'g.us') return { kind: 'group', jid: `${user}@g.us` }
  return { kind: 'other' }
}

/** The phone number of the first id that is one. */
export const phoneOfJids = (...jids: (string | null | undefined)[]): string | null => {
  const found = jids.map(addressOfJid).find(({ kind }) => kind === 'phone')
  return found?.kind === 'phone' ? found.phone : null
}

/** The hidden id of the first id that is one. */
export const lidOfJids = (...jids: (string | null | undefined)[]): string | null => {
  const found = jids.map(addressOfJid).find(({ kind }) => kind === 'lid')
  return found?.kind === 'lid' ? found.lid : null
}

/** The WhatsApp id of a recipient of the send ledger, which is a phone number in E.164, a group or a hidden id. */
export const jidOfRecipient = (recipient: string): string =>
  recipient.startsWith('+') ? `${recipient.slice(1)}@s.whatsapp.net` : recipient

/** The id of a person without that of the device; null for any other id. */
export function jidOfPerson(jid: string): string | null {
  const address = addressOfJid(jid)
  return address.kind === 'phone' ? jidOfRecipient(address.phone) : address.kind === 'lid' ? address.lid : null
}

/** A message as the provider names it. `participant`: who has written a message of a group that is from somebody else. */
export type MessageKey = { id: string; jid: string; from_me: boolean; participant: string | null }

/**
 * The key of a message of the chat with a recipient. Of a message that was stored without the id of its writer, the number stands for it.
 */
export function keyOfMessage(
  recipient: string,
  {
    key_id,
    from_me,
    sender_jid,
    sender_phone,
  }: { key_id: string; from_me: boolean; sender_jid: string | null; sender_phone: string | null },
): MessageKey {
  const jid = jidOfRecipient(recipient)
  const writer = sender_jid ?? (sender_phone === null ? null : jidOfRecipient(sender_phone))
  return { id: key_id, jid, from_me, participant: !from_me && jid.endsWith('@g.us') ? writer : null }
}
