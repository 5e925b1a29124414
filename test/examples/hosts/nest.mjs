// Needs the file store.mjs of docs/embedding.md in its folder.
import 'reflect-metadata';
import { Controller, Get, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { mountPetRoutes } from 'animal-store/http';
import Koa from 'koa';
import { database, openStore } from './store.mjs';

class Pages {
  home() {
    return 'a page of the host';
  }
}
class Shelter {
  onApplicationShutdown() {
    return database.destroy();
  }
}
// In TypeScript, these are decorators: @Controller(), @Get(), @Module({ controllers: [Pages] }).
Controller()(Pages);
Get()(Pages.prototype, 'home', Object.getOwnPropertyDescriptor(Pages.prototype, 'home'));
Module({ controllers: [Pages] })(Shelter);

const zoo = new Koa();
mountPetRoutes(zoo, openStore);

const app = await NestFactory.create(Shelter, { logger: ['error', 'warn'] });
app.use('/zoo', zoo.callback()); // before `listen`, where Nest adds its body parsers
app.enableShutdownHooks();
await app.listen(3000, '127.0.0.1');
