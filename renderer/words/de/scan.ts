import type { scan as english } from '../en/scan.ts';
import type { Part } from '../part.ts';

export const scan: Part<typeof english> = {
  title: 'QR-Code lesen',
  lead: 'Was der Code sagt, wird eingetragen, als hättest du es eingefügt. Sieh es durch, bevor du zahlst.',
  cannot:
    'QR-Codes lassen sich hier gerade nicht lesen. Kopiere Rechnung oder Adresse in der anderen Wallet und füge sie ein: ' +
    'Der Code sagt dasselbe.',
  picture: 'Ein Bild mit dem Code',
  pictureHint: 'Eine Datei, oder füge das Bild hier ein',
  camera: 'Kamera benutzen',
  looking: 'Halte den Code vor die Kamera.',
  noCamera:
    'Die Kamera lässt sich hier nicht benutzen: Sie ist nicht da oder nicht erlaubt. Nimm ein Bild mit dem Code.',
  nothing: 'In diesem Bild wurde kein QR-Code gesehen.',
  unreadable: 'Diese Datei ist kein lesbares Bild.',
  close: 'Abbrechen',
};
