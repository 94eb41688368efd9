import { awsCommandLines } from '../../account/printed-commands';
import { folded } from '../../bin/shared/terminal-text';

const CALL = { service: 'sqs', operation: 'PurgeQueue', input: { QueueUrl: 'https://sqs/orders' } };

const ROLE = 'arn:aws:iam::111122223333:role/Operator';

const COMMAND = `aws sqs purge-queue --region eu-west-1 --cli-input-json '{"QueueUrl":"https://sqs/orders"}'`;

test.each([
  ['no role', {}, [COMMAND]],
  ['a role', { roleArn: ROLE }, [`# with the credentials of the role ${ROLE}:`, COMMAND]],
])('aws commands for %s can be pasted, and say whose credentials they need', (_, options, lines) => {
  const site = { options, region: 'eu-west-1' };
  expect(awsCommandLines([CALL], site)).toEqual(lines);
  expect(awsCommandLines([], site)).toEqual([]);
  expect(folded(lines.join('\n'), { columns: 30 })).toBe(lines.join('\n'));
});
