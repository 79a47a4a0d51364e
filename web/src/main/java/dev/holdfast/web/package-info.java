/** The REST API and the dashboard, to be mounted in any Spring Boot application. */
@NullMarked
package dev.holdfast.web;

import org.jspecify.annotations.NullMarked;
