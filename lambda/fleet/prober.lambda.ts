import { PublishCommand, SNSClient } from '@aws-sdk/client-sns';
import { flushingLog } from '../shared/log';
import { CLIENT_CONFIG, fleetFunction } from './fleet-function';
import { ParkedCounts } from './parked-counts';
import { proberHandler } from './prober';

const ports = fleetFunction(setImmediate);

const sns = new SNSClient(CLIENT_CONFIG);

const handle = proberHandler({
  ...ports,
  parkedCounts: new ParkedCounts(),
  publishNotice: async notice => {
    const TopicArn = ports.settings.noticesTopicArn;
    await sns.send(new PublishCommand({ TopicArn, Message: JSON.stringify(notice) }));
  },
});

export const handler = flushingLog(ports.lines, handle);
