#!/usr/bin/env node
import { commandLine } from './command-line';

void commandLine(process.argv);
