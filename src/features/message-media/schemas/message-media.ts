import * as v from 'valibot'
import { named } from '../../../schemas/common.ts'
import { Id, InstantOut } from '../../../schemas/fields.ts'
import { MEDIA_STATUSES } from '../rules/message-media.ts'

const file = {
  id: Id,
  name: v.pipe(v.nullable(v.string()), v.examples(['media-1.jpg'])),
  mimeType: v.pipe(v.nullable(v.string()), v.examples(['image/jpeg'])),
  size: v.pipe(v.nullable(v.pipe(v.number(), v.integer())), v.description('In bytes.'), v.examples([20480])),
}
/** The files of a message. */
export const Media = v.pipe(
  v.array(
    v.object({
      ...file,
      status: v.pipe(
        v.picklist(MEDIA_STATUSES),
        v.description(
          '`waiting`: it is being fetched from the provider. `stored`: it can be downloaded. `failed`: it could not be fetched, ' +
            'for the reason in `error`. `attached`: a file of a record, which was sent.',
        ),
      ),
      error: v.pipe(v.nullable(v.string()), v.description('Why it could not be fetched, or not yet.'), v.examples([null])),
    }),
  ),
  v.description('The pictures and other files of the message.'),
)
export const MediaLink = named(
  'MediaLink',
  v.object({
    ...file,
    url: v.pipe(v.string(), v.description('Serves the file to anyone until expires_at.'), v.examples(['https://api.example.com/files/a'])),
    expires_at: InstantOut,
  }),
)
