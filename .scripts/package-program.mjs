// A user's program, which test/repository/package.long.test.ts and check-package.mjs copy, bundle and run. `small` is an assembly.
import { withHeartbeat } from 'dead-letter-office/consumer';
import { FleetClient, FleetError } from 'dead-letter-office/fleet';
import { LocalAws } from 'dead-letter-office/local';
import { matchers } from 'dead-letter-office/matchers';

const GREETER = 'https://lambda.us-east-1.amazonaws.com/2015-03-31/functions/greeter/invocations';
const client = { changeMessageVisibility: async () => {} };
const queueUrl = 'https://sqs.us-east-1.amazonaws.com/123456789012/orders';

function refused() {
  try {
    return new FleetClient({ dynamoDb: {}, settings: '{}' });
  } catch (error) {
    return error instanceof FleetError && error.code;
  }
}

async function main() {
  const aws = await LocalAws.deploy('small', { seed: 7 });
  const asked = aws.request('POST', GREETER, JSON.stringify({ name: 'Ada' }));
  await aws.advance({ seconds: 1 });
  const { greeting } = JSON.parse((await asked).text);
  const work = async () => 'done';
  const done = await withHeartbeat({ client, queueUrl, receiptHandle: 'AQEB', visibilitySeconds: 60 }, work);
  console.log([greeting, refused(), done, matchers.toHaveLost(aws).pass].join(', '));
  await aws.close();
}

main();
