import { inventoryOf, only } from './read';

const topicAt = (path: string) =>
  inventoryOf({ Topic: { Type: 'AWS::SNS::Topic', Properties: {}, Metadata: { 'aws:cdk:path': path } } });

test.each([
  ['a construct’s path', 'Shop/Orders/Resource', 'Shop/Orders'],
  [
    'a URL without what is secret in it',
    'Shop/Orders/https:----user:secret@partner.example.com--orders?key=secret#1/Resource',
    'Shop/Orders/https:----partner.example.com--orders',
  ],
  [
    'a URL in which nothing is secret',
    'Shop/http:----partner.example.com/Resource',
    'Shop/http:----partner.example.com',
  ],
])('what a template has is named by %s', (_, path, name) => {
  expect(only(topicAt(path).topics).name).toBe(name);
});

test('and by its logical id where the template tells no path', () => {
  expect(only(inventoryOf({ Topic: { Type: 'AWS::SNS::Topic', Properties: {} } }).topics).name).toBe('Topic');
});
