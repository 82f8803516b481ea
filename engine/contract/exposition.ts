/** The media type of metrics in the text format of Prometheus. */
export const expositionType = 'text/plain; version=0.0.4; charset=utf-8';
