import { Template } from 'aws-cdk-lib/assertions';
import { newApp } from '../lib/support';
import { IntegrationStack } from './stack';

test('the stack leaves nothing in the account once it is destroyed', () => {
  const { Resources } = Template.fromStack(new IntegrationStack(newApp())).toJSON();
  const all: [string, { DeletionPolicy?: string }][] = Object.entries(Resources);
  expect(all.length).toBeGreaterThan(20);
  expect(all.filter(([, { DeletionPolicy = 'Delete' }]) => DeletionPolicy !== 'Delete')).toEqual([]);
});
