/** `document`: a PDF. `image`: public at its address. `secure`: any accepted file. */
export const FILE_KINDS = ['document', 'image', 'secure'] as const
export type FileKind = (typeof FILE_KINDS)[number]

/** The bytes that a workspace can store, unless its row of storage_usage has another number. */
export const STORAGE_BYTES = 10 * 1024 ** 3
/** An upload must end within this number of seconds, or its reserved bytes are free again. */
export const RESERVED_SECONDS = 1800

/** The widths in pixels that an image is served in. */
export const IMAGE_WIDTHS = [160, 320, 640, 960, 1280, 1600] as const
export type ImageWidth = (typeof IMAGE_WIDTHS)[number]
export const IMAGE_TYPES = ['png', 'jpg', 'webp'] as const
/** The most pixels of an image, so that decoding it fits in memory. */
export const MAX_PIXELS = 50_000_000
/** The most pixels of one side. */
export const MAX_SIDE = 12_000

/** The longest template section, as JSON, and the most sections of a template. */
export const MAX_SECTION_BYTES = 50_000
export const MAX_SECTIONS = 200
/** The most folders that a list of folders names. */
export const MAX_FOLDERS = 1000

/**
 * The largest file in bytes that is uploaded, that comes with an email (Gmail accepts emails of 25 MB) and that comes with another message.
 */
export const MAX_UPLOAD_BYTES = 25 * 1024 ** 2
export const MAX_EMAIL_FILE_BYTES = 26_000_000
/** Of WhatsApp it is in base64 in JSON, for which a Worker must have room. */
export const MAX_MEDIA_BYTES = 10_000_000
/** A picture is decoded as a whole, so it must fit in memory several times. */
export const MAX_IMAGE_BYTES = 10 * 1024 ** 2
/** The media type of what nobody knows. */
export const UNKNOWN_TYPE = 'application/octet-stream'
