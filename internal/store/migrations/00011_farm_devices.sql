-- +goose Up
ALTER TABLE farm_cases ADD COLUMN devices TEXT NOT NULL DEFAULT '';
