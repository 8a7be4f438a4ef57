import * as v from 'valibot'
import { named } from '../../../schemas/common.ts'

export const PublicImage = named(
  'PublicImage',
  v.object({
    id: v.pipe(
      v.string(),
      v.description('The name of the image below /public-images.'),
      v.examples(['9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08.png']),
    ),
    url: v.pipe(
      v.string(),
      v.metadata({ format: 'uri' }),
      v.description('The public address of the image.'),
      v.examples(['https://api.example.com/public-images/9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08.png']),
    ),
    sha256: v.pipe(v.string(), v.description('The SHA-256 digest of the stored image, which names it.')),
    content_type: v.pipe(v.string(), v.description('The media type that the content has.'), v.examples(['image/png'])),
    size: v.pipe(v.number(), v.integer(), v.description('The size in bytes.')),
  }),
)
