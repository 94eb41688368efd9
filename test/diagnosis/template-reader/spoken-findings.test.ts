import type { Finding } from '../../../diagnosis/checks/finding';
import { readableFindings } from '../../../diagnosis/template-reader/spoken-findings';
import { inventoryOf } from './read';

const target = (Id: string) => ({ Id, Arn: 'arn:aws:sqs:eu-west-1:123456789012:orders' });
const INVENTORY = inventoryOf({
  Queue: { Type: 'AWS::SQS::Queue', Metadata: { 'aws:cdk:path': "Test/$& at $'/Resource" } },
  Rule: { Type: 'AWS::Events::Rule', Properties: { Targets: [target('0'), target('1')] } },
});

function spoken(says: string): string | undefined {
  const [resource] = INVENTORY.queues;
  if (!resource) throw new Error('there is no queue');
  const finding: Finding = { id: 'it', severity: 'note', resource, about: [], says, fix: { says } };
  return readableFindings([finding], INVENTORY)[0]?.fix.says;
}

test.each([
  [
    'arn:aws:sqs:<region>:<account>:<Test.Queue>, <Test.Queue>',
    "arn:aws:sqs:<region>:<account>:Test/$& at $', Test/$& at $'",
  ],
  ['<Test.Rule>', 'Rule Targets[0]'],
  ['<QueueName of Test.Rule> in <region of Test>', 'Rule Targets[0] in <region of Test>'],
  ['<Test.Other> and 1 < 2 > 1', '<Test.Other> and 1 < 2 > 1'],
])('%s is told as %s', (says, reported) => {
  expect(spoken(says)).toBe(reported);
});
