import { ec2ResourceTypes } from '../../local/ec2';
import { Random } from '../../local/kernel/random';
import { createResource } from './create-resource';

const TYPE = 'AWS::EC2::SecurityGroup';

describe(TYPE, () => {
  const create = (properties: Record<string, unknown>, types = ec2ResourceTypes(new Random(1))) =>
    createResource(types, TYPE, properties);

  test('is there by its id, as aws-cdk-lib makes one for a function', () => {
    const { created, problems } = create({
      GroupDescription: 'Automatic security group for Lambda Function',
      SecurityGroupEgress: [{ CidrIp: '0.0.0.0/0', IpProtocol: '-1' }],
      Tags: [{ Key: 'team', Value: 'rental' }],
      VpcId: 'vpc-1',
    });
    expect(problems).toEqual([]);
    expect(created.ref).toMatch(/^sg-[0-9a-f]{17}$/);
    expect(created.attributes).toEqual({ GroupId: created.ref, Id: created.ref, VpcId: 'vpc-1' });
  });

  test('has an id that no other has', () => {
    const types = ec2ResourceTypes(new Random(1));
    const ids = ['a', 'b'].map(GroupDescription => create({ GroupDescription }, types).created.ref);
    expect(new Set(ids).size).toBe(2);
  });

  test.each([
    [{}, 'GroupDescription is required'],
    [
      { GroupDescription: 'x', SourceSecurityGroupName: 'y' },
      'SourceSecurityGroupName is not implemented by the embedded AWS',
    ],
  ])('fails by name for %j', (properties, problem) => {
    expect(create(properties).problems).toEqual([problem]);
  });
});
