import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { AssemblyError, LocalAws } from '../../../local';
import { stackNameOf } from '../../../local/cloudformation/template-body';

const YAML = `
Parameters:
  Delay: { Type: Number, Default: 5 }
Resources:
  Orders:
    Type: AWS::SQS::Queue
    Properties:
      QueueName: !Sub '\${AWS::StackName}-orders'
      DelaySeconds: !Ref Delay
  Child:
    Type: AWS::CloudFormation::Stack
    Properties: { TemplateURL: ./child.json }
  Elsewhere:
    Type: AWS::CloudFormation::Stack
    Properties: { TemplateURL: https://bucket.s3.amazonaws.com/elsewhere.yaml }
Outputs:
  Arn: { Value: !GetAtt Orders.Arn }
  Child: { Value: !GetAtt Child.Outputs.Name }
  Elsewhere: { Value: !GetAtt Elsewhere.Outputs.Name }
`;
const CHILD = {
  Resources: { Queue: { Type: 'AWS::SQS::Queue', Properties: { QueueName: 'child' } } },
  Outputs: { Name: { Value: { 'Fn::GetAtt': ['Queue', 'QueueName'] } } },
};

describe('a template without an app', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'template-'));
    writeFileSync(path.join(folder, 'shop.template.yaml'), YAML);
    writeFileSync(path.join(folder, 'child.json'), JSON.stringify(CHILD));
    writeFileSync(path.join(folder, 'broken.yaml'), 'Resources: [');
    writeFileSync(path.join(folder, 'loop.yaml'), 'Resources: { "Fn::ForEach::Queues": [Name, [A], {}] }');
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  const deploy = (file: string, standIns: 'warn' | 'refuse') => LocalAws.deploy(path.join(folder, file), { standIns });

  it('is deployed as a stack with the name of its file, and nests the templates beside it', async () => {
    const aws = await deploy('shop.template.yaml', 'warn');
    expect(aws.output('Arn')).toBe('arn:aws:sqs:us-east-1:123456789012:shop-orders');
    expect(aws.output('shop.Child')).toBe('child');
    expect(aws.output('Elsewhere')).toMatch(/./);
    expect(aws.standIns.map(({ logicalId, member }) => [logicalId, member])).toEqual([
      ['Elsewhere', 'TemplateURL'],
      ['Elsewhere', 'Outputs.Name'],
    ]);
    const misnamed = aws.update(path.join(folder, 'shop.template.yaml'), { parameters: { Dela: '1' } });
    await expect(misnamed).rejects.toThrow(
      'parameter Dela has a value, but no template declares it: the parameters are Delay',
    );
    await aws.close();
  });

  it.each([
    ['shop.template.yaml', 'TemplateURL must be a file asset of the assembly, got "https://bucket.s3'],
    ['broken.yaml', 'broken.yaml: Template format error: YAML not well-formed. (line 1, column'],
    [
      'loop.yaml',
      'Resources: Fn::ForEach::Queues needs the macro AWS::LanguageExtensions, which runs on AWS only: deploy',
    ],
    ['gone.yaml', 'there is no template at'],
  ])('%s is refused', async (file, problem) => {
    await expect(deploy(file, 'refuse')).rejects.toThrow(AssemblyError);
    await expect(deploy(file, 'refuse')).rejects.toThrow(problem);
  });

  it.each([
    ['/a/orders.template.json', 'orders'],
    ['/a/1 my_app.yml', 'my-app'],
    ['/a/.yaml', 'Template'],
  ])('%s makes the stack %s', (file, name) => {
    expect(stackNameOf(file)).toBe(name);
  });
});
