import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { SQSClient } from '@aws-sdk/client-sqs';
import { DynamoDbTable } from '../../fleet/dynamodb-table';
import { FleetStore } from '../../fleet/fleet-store';
import { dynamoDbCalls } from '../../fleet/sdk-calls';
import { nowMs, random, wait } from '../../mover/aws/clock';
import { FLEET_SETTINGS_VARIABLE, readFleetSettings } from '../../policy/fleet/fleet-settings';
import { type AfterThisTurn, LineBuffer } from '../shared/log';
import { SQS_CLIENT_CONFIG } from '../shared/queue-calls';
import type { FleetPorts } from './ports';
import { fleetQueues } from './queues';

const TIMEOUTS = { connectionTimeout: 1_000, requestTimeout: 2_000, throwOnRequestTimeout: true };

/** What DynamoDB throttles is tried three times by the SDK, and then its message comes back. */
const DYNAMODB_CLIENT_CONFIG = { maxAttempts: 3, requestHandler: TIMEOUTS };

/** Of the clients of KMS and SNS. A call that hangs must not use up the time of an invocation. */
export const CLIENT_CONFIG = { maxAttempts: 2, requestHandler: TIMEOUTS };

/** What each function of a fleet is made of, from its environment. */
export function fleetFunction(
  soon: AfterThisTurn,
): FleetPorts & { readonly items: DynamoDbTable; readonly lines: LineBuffer } {
  const settings = readFleetSettings(process.env[FLEET_SETTINGS_VARIABLE]);
  // Not `console.log`, which would prefix the JSON with a time and a request id: metric filters need plain JSON lines.
  const lines = new LineBuffer(text => process.stdout.write(text), soon);
  process.on('exit', () => lines.flush());
  const print: FleetPorts['print'] = line => lines.add(typeof line === 'string' ? line : JSON.stringify(line));
  const items = new DynamoDbTable(dynamoDbCalls(new DynamoDBClient(DYNAMODB_CLIENT_CONFIG)), settings.tableName, wait);
  const queues = fleetQueues(new SQSClient(SQS_CLIENT_CONFIG), settings, { nowMs, print });
  return { settings, table: new FleetStore(items), items, lines, queues, nowMs, wait, chance: random, print };
}
