import { invalidParameter, resourceMissing } from '../errors';
import { Row } from '../insights/row';
import { asText } from '../insights/values';
import { readEventId } from '../log-event';
import { anything, type LogsAction } from './logs-action';

/**
 * The event behind a query's `@ptr`, with every field discovered in it.
 *
 * @see https://docs.aws.amazon.com/AmazonCloudWatchLogs/latest/APIReference/API_GetLogRecord.html
 */
export const getLogRecord: LogsAction<'GetLogRecord'> = {
  permission: 'logs:GetLogRecord',
  resourceOf: anything,
  run: (state, { input: { logRecordPointer = '' } }) => {
    const [, id = '', log = ''] = /^(\d+) (.+)$/.exec(Buffer.from(logRecordPointer, 'base64').toString()) ?? [];
    const position = readEventId(id);
    if (!position) throw invalidParameter('The specified logRecordPointer is invalid.');
    const events = state.find(log.slice(log.indexOf(':') + 1))?.events(state.nowMs);
    const index = events?.indexOf(position) ?? 0;
    const [event] = events?.forward(index, index + 1) ?? [];
    if (!event || event.atMs !== position.atMs || event.sequence !== position.sequence) throw resourceMissing();
    const record: Record<string, string> = {};
    for (const [name, value] of new Row({ event, log }).all()) {
      const text = asText(value);
      if (text !== undefined) record[name] = text;
    }
    return { logRecord: { ...record, '@timestamp': String(event.atMs), '@ingestionTime': String(event.ingestedAtMs) } };
  },
};
