/** What a code is read from: a picture, or a camera's frame. */
export type Picture = ImageBitmap | HTMLVideoElement;
