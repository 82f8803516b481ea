/** Reading a QR code; it comes with its dialog. */
export const scan = {
  title: 'Scan a QR code',
  lead: 'The content of the code is filled in as if pasted. Check it before you pay.',
  cannot:
    'QR codes cannot be read here now. Copy the invoice or address in the other wallet and paste it: the code says ' +
    'the same.',
  picture: 'A picture with the code',
  pictureHint: 'A file, or paste the picture here',
  camera: 'Use the camera',
  looking: 'Hold the code in front of the camera.',
  noCamera: 'The camera cannot be used here: it is not there, or not allowed. Take a picture with the code instead.',
  nothing: 'No QR code was seen in this picture.',
  unreadable: 'This file is no picture that can be read.',
  close: 'Cancel',
};
