import { App, CfnElement, Stack } from 'aws-cdk-lib';
import { Match, Template } from 'aws-cdk-lib/assertions';
import { Port } from 'aws-cdk-lib/aws-ec2';
import { HttpRelay, type HttpRelayProps, RelayEndpoint } from '../../lib';
import { annotations, findings, validate } from '../support/validations';
import { groupIn, SUBNETS, vpcIn } from '../support/vpc';
import { newStack, opsTopic, warningIds } from './support';

const RANGES = ['10.1.0.0/16'];
const ENDPOINT = RelayEndpoint.fromUrl('https://10.1.2.3/orders');

const INTERFACES = [
  'ec2:AssignPrivateIpAddresses',
  'ec2:CreateNetworkInterface',
  'ec2:DeleteNetworkInterface',
  'ec2:DescribeNetworkInterfaces',
  'ec2:DescribeSubnets',
  'ec2:UnassignPrivateIpAddresses',
];

const relayIn = (stack: Stack, props: Partial<HttpRelayProps> = {}) =>
  new HttpRelay(stack, 'Relay', {
    endpoint: ENDPOINT,
    allowedPrivateRanges: RANGES,
    alarmActions: [opsTopic(stack)],
    ...props,
  });

describe('A relay in a VPC', () => {
  const stack = newStack();
  const relay = relayIn(stack, { vpc: vpcIn(stack) });
  relay.handler.connections.allowToAnyIpv4(Port.tcp(8_443));
  const template = Template.fromStack(stack);
  const functionWith = (variable: string) =>
    Object.values(
      template.findResources('AWS::Lambda::Function', {
        Properties: { Environment: { Variables: { [variable]: Match.anyValue() } } },
      }),
    ).map(({ Properties }) => Properties);

  test('warns of nothing', () => {
    expect(warningIds(stack)).toEqual([]);
  });

  test('has its function in the private subnets, in a security group of its own that lets everything out', () => {
    const [group = ''] = Object.keys(template.findResources('AWS::EC2::SecurityGroup'));
    expect(functionWith('RELAY_SETTINGS')).toMatchObject([
      { VpcConfig: { SubnetIds: SUBNETS, SecurityGroupIds: [{ 'Fn::GetAtt': [group, 'GroupId'] }] } },
    ]);
    template.hasResourceProperties('AWS::EC2::SecurityGroup', {
      VpcId: 'vpc-0123456789abcdef0',
      SecurityGroupEgress: [Match.objectLike({ CidrIp: '0.0.0.0/0', IpProtocol: '-1' })],
    });
  });

  test('leaves the function of its breaker outside', () => {
    const [breaker, ...others] = functionWith('RELAY_BREAKER_SETTINGS');
    expect(others).toEqual([]);
    expect(breaker).toMatchObject({ Handler: 'index.handler' });
    expect(breaker).not.toHaveProperty('VpcConfig');
  });

  test('lets Lambda manage network interfaces, and denies it to the code of the function', () => {
    const statements = Object.values(template.findResources('AWS::IAM::Policy'))
      .flatMap(({ Properties }) => Properties.PolicyDocument.Statement)
      .filter(({ Action }) => [Action].flat().some((action: string) => action.startsWith('ec2:')));
    const { defaultChild } = relay.handler.node;
    const logicalId = defaultChild instanceof CfnElement ? stack.getLogicalId(defaultChild) : '';
    const arn = { 'Fn::GetAtt': [logicalId, 'Arn'] };
    expect(statements).toHaveLength(2);
    expect(statements).toEqual(
      expect.arrayContaining([
        { Effect: 'Allow', Action: INTERFACES, Resource: '*' },
        {
          Effect: 'Deny',
          Action: INTERFACES,
          Resource: '*',
          Condition: { ArnEquals: { 'lambda:SourceFunctionArn': arn } },
        },
      ]),
    );
  });
});

describe('A relay', () => {
  test('has the subnets and security groups it is told', () => {
    const stack = newStack();
    const vpc = vpcIn(stack);
    const [subnet] = vpc.privateSubnets;
    relayIn(stack, { vpc, vpcSubnets: { subnets: subnet ? [subnet] : [] }, securityGroups: [groupIn(stack)] });
    const template = Template.fromStack(stack);
    template.resourceCountIs('AWS::EC2::SecurityGroup', 0);
    template.hasResourceProperties('AWS::Lambda::Function', {
      VpcConfig: { SubnetIds: SUBNETS.slice(0, 1), SecurityGroupIds: ['sg-0123456789abcdef0'] },
    });
  });

  test('lets nothing out that it is not told of, where allowAllOutbound is false', () => {
    const stack = newStack();
    relayIn(stack, { vpc: vpcIn(stack), allowAllOutbound: false }).handler.connections.allowToAnyIpv4(Port.HTTPS);
    Template.fromStack(stack).hasResourceProperties('AWS::EC2::SecurityGroup', {
      SecurityGroupEgress: [Match.objectLike({ CidrIp: '0.0.0.0/0', FromPort: 443, ToPort: 443 })],
    });
  });

  test('has nothing of EC2 where it is in no VPC, and warns of private ranges it cannot reach', () => {
    const stack = newStack();
    relayIn(stack);
    expect(warningIds(stack)).toEqual(['private-ranges-without-vpc']);
    expect(JSON.stringify(Template.fromStack(stack))).not.toMatch(/ec2:|AWS::EC2|VpcConfig/);
  });

  test('is faultless to every validation in a VPC', () => {
    const app = new App();
    const stack = new Stack(app, 'Stack');
    relayIn(stack, { vpc: vpcIn(stack) });
    validate(app);
    expect(findings(app)).toEqual([]);
    expect(annotations(stack)).toEqual([]);
  });
});
