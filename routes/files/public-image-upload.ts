import { Hono } from 'hono'
import { uploadPublicImage } from '../../src/features/files/plans/public-images.ts'
import { IMAGE_CONTEXTS, MAX_PUBLIC_IMAGE } from '../../src/features/files/rules/public-images.ts'
import { PublicImage } from '../../src/features/files/schemas/public-images.ts'
import { created, uploadWith } from '../../src/http/modes.ts'
import { type App, endpoints } from '../../src/http/router.ts'
import { PUBLIC_IMAGES } from '../paths.ts'

export const publicImageUploadRouter = new Hono<App>()
export const publicImageUploadApi = endpoints(publicImageUploadRouter, {
  base: '',
  path: PUBLIC_IMAGES.publicImageUpload,
  tag: 'Public Image Upload',
})

publicImageUploadApi.post(
  '',
  {
    id: 'uploadPublicImage',
    summary: 'Upload an image without a key',
    description:
      'Send a PNG, WebP, JPEG or SVG of at most 100 KB in the field `file`, and what it is for in the field `context`, from any web ' +
      'page. The image is written anew and public under the digest of its content; scripts and references of an SVG are left out. ' +
      'At most 3 uploads in 24 hours from an address, and from a browser whose fingerprint the header `X-Browser-Fingerprint` carries. ' +
      'An image that nothing refers to is deleted after seven days.',
    access: { scopes: [], public: true },
    body: uploadWith({ context: { description: 'What the image is for.', values: IMAGE_CONTEXTS, required: true } }, MAX_PUBLIC_IMAGE),
    returns: created(PublicImage, '/public-images'),
    errors: ['UNSUPPORTED_MEDIA_TYPE', 'PAYLOAD_TOO_LARGE', 'RATE_LIMITED', 'UNAVAILABLE'],
  },
  ({ ctx }) => uploadPublicImage(ctx),
)
