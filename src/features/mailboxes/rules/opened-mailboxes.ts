import { escapeHtml } from '../../../lib/html.ts'
import { withoutLinks } from '../../../lib/text.ts'

/**
 * A role whose members read the mailboxes of others. `reader`: the member who got it; null: all who have it, because the role was changed.
 */
export type OpenedMailboxes = { workspace: string; role: string; reader: string | null }

/** The email to members whose mailboxes can be read by others from now on: a row of the send ledger without its recipient. */
export function openedMailboxesEmail({ workspace, role, reader }: OpenedMailboxes) {
  const [where, name] = [withoutLinks(workspace) || 'your workspace', withoutLinks(role)]
  const who = reader === null ? `Members with the role “${name}”` : `${withoutLinks(reader) || 'A colleague'}, with the role “${name}”,`
  const lines = [
    `${who} can now read what is in your mailbox that is connected to “${where}”: the emails that contacts sent to you, ` +
      'and those that you sent to contacts.',
    'A client_admin of the workspace can tell you why.',
  ]
  return {
    subject: `Your mailbox in ${where} can be read by others`,
    body_text: lines.join('\n\n'),
    body_html: lines.map((line) => `<p>${escapeHtml(line)}</p>`).join('\n'),
  }
}
