import { splitBatch } from '../batch-rules';
import { eventId } from '../log-event';
import { type LogsAction, streamNamed } from './logs-action';

/**
 * The sequence token AWS still answers means nothing any more, there or here.
 *
 * @see https://docs.aws.amazon.com/AmazonCloudWatchLogs/latest/APIReference/API_PutLogEvents.html
 */
export const putLogEvents: LogsAction<'PutLogEvents'> = {
  permission: 'logs:PutLogEvents',
  resourceOf: streamNamed,
  run: (state, { input: { logGroupName = '', logStreamName = '', logEvents } }) => {
    const group = state.get(logGroupName);
    const stream = state.stream(logGroupName, logStreamName);
    const { accepted, rejected } = splitBatch(logEvents, state.nowMs, group.oldestMs(state.nowMs));
    state.take(group, stream, accepted);
    return {
      nextSequenceToken: eventId({ atMs: state.nowMs, sequence: stream.events.size }),
      ...(rejected && { rejectedLogEventsInfo: rejected }),
    };
  },
};
