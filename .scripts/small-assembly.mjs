import { writeFileSync } from 'node:fs';
import path from 'node:path';

/** Writes a cloud assembly of one stack, as small as they come, and answers its directory. */
export function writeSmallAssembly(directory) {
  const code = 'exports.handler = async event => ({ greeting: "hello " + event.name });';
  const trust = {
    Version: '2012-10-17',
    Statement: [
      {
        Effect: 'Allow',
        Principal: { Service: ['lambda.amazonaws.com', 'scheduler.amazonaws.com'] },
        Action: 'sts:AssumeRole',
      },
    ],
  };
  const basics = 'arn:aws:iam::aws:policy/service-role/AWSLambdaBasicExecutionRole';
  const template = {
    Resources: {
      Orders: { Type: 'AWS::SQS::Queue', Properties: { QueueName: 'orders' } },
      Events: { Type: 'AWS::SNS::Topic', Properties: { TopicName: 'events' } },
      Role: {
        Type: 'AWS::IAM::Role',
        Properties: { RoleName: 'greeter', AssumeRolePolicyDocument: trust, ManagedPolicyArns: [basics] },
      },
      Greeter: {
        Type: 'AWS::Lambda::Function',
        Properties: {
          FunctionName: 'greeter',
          Runtime: 'nodejs22.x',
          Handler: 'index.handler',
          Code: { ZipFile: code },
          Role: { 'Fn::GetAtt': ['Role', 'Arn'] },
        },
      },
    },
    Outputs: { OrdersUrl: { Value: { Ref: 'Orders' } } },
  };
  const manifest = {
    version: '36.0.0',
    artifacts: {
      Shop: {
        type: 'aws:cloudformation:stack',
        environment: 'aws://unknown-account/unknown-region',
        properties: { templateFile: 'Shop.template.json' },
      },
    },
  };
  writeFileSync(path.join(directory, 'Shop.template.json'), JSON.stringify(template));
  writeFileSync(path.join(directory, 'manifest.json'), JSON.stringify(manifest));
  return directory;
}
