import { PublishCommand, SNSClient } from '@aws-sdk/client-sns';
import { flushingLog } from '../shared/log';
import { fleetFunction } from './fleet-function';
import { ParkedCounts } from './parked-counts';
import { proberHandler } from './prober';

const ports = fleetFunction(setImmediate);

const sns = new SNSClient({ maxAttempts: 2 });

const handle = proberHandler({
  ...ports,
  parkedCounts: new ParkedCounts(),
  publishNotice: async notice => {
    const TopicArn = ports.settings.noticesTopicArn;
    await sns.send(new PublishCommand({ TopicArn, Message: JSON.stringify(notice) }));
  },
});

export const handler = flushingLog(ports.lines, handle);
